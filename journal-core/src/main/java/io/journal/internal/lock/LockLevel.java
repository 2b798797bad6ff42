// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.lock;

/**
 * The order in which a thread takes the locks of a journal: from the first level down, at most one lock of a level.
 * <p>
 * Besides these there are monitors of single objects. The monitors of files and of {@code VerifiedSegments} are leaves:
 * no other lock is taken under them. A follower has none of the locks below; under its monitors only its files'
 * monitors are taken. The durability listener's monitor comes before all levels, since the application's code runs
 * under it.
 */
public enum LockLevel
{
    /**
     * Serializes saving, loading and discarding snapshots, pruning by snapshots, and backups. The only level under
     * which code of the application runs, so it is not one lock with {@link #MANAGE}.
     */
    SNAPSHOTS,

    /** Excludes prune, retention, truncation and backup from one another, and from closing the files. */
    MANAGE,

    /** Excludes appends through a shared appender from one another, and from truncation, roll and close. */
    APPENDER,

    /** Excludes changes of the control state from one another: cursors, prune, truncation, close. */
    CONTROL,

    /** Excludes fsyncs from one another, from a truncation, and from closing the segments. */
    FORCE,

    /**
     * The last level, locks that are never held together. The window's lock excludes writing the window to its segment
     * while it moves or rolls. The supply's locks serialize making and recycling segments, and filling each of them.
     */
    WINDOW
}
