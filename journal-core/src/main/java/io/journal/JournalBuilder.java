// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.nio.file.Path;
import java.util.Objects;
import java.util.function.LongSupplier;

import io.journal.internal.Engine;
import io.journal.internal.Settings;
import io.journal.internal.SettingsFile;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;

/**
 * Settings of a journal to open, each with a usable default. Not thread-safe.
 */
public final class JournalBuilder
{
    /** Minimum segment length, in bytes. */
    public static final int MIN_SEGMENT_LENGTH = Layout.MIN_SEGMENT_LENGTH;

    /** Maximum segment length, in bytes. */
    public static final int MAX_SEGMENT_LENGTH = Layout.MAX_SEGMENT_LENGTH;

    /** Default segment length, in bytes. */
    public static final int DEFAULT_SEGMENT_LENGTH = Settings.DEFAULT_SEGMENT_LENGTH;

    /** Maximum length of the write window, in bytes. */
    public static final int MAX_WRITE_WINDOW = Settings.MAX_WRITE_WINDOW;

    private final Settings settings;

    JournalBuilder(final Path path)
    {
        settings = new Settings(Objects.requireNonNull(path, "path"));
    }

    /**
     * Reads settings from a properties file in UTF-8, such as the file that the benchmarks' {@code recommend} wrote for
     * the machine and disk of the journal.
     * <p>
     * Each key is named after the method it stands for; all are optional, and there are no others: {@code backend},
     * the name of a {@link Backend}; {@code force}, which is {@code manual}, {@code everyRecord} or an interval such as
     * {@code every 5 ms}, in {@code us}, {@code ms} or {@code s}; {@code recycleSegments}, {@code true} or
     * {@code false}; {@code segmentLength} in bytes, only for a journal that is created now: an existing one keeps its
     * length; {@code writeWindow} in bytes.
     * <p>
     * The last call wins: the file replaces what was set before, and later calls replace what the file sets. The file
     * is read by this call, not when the journal is opened; it may have at most 64 KiB.
     *
     * @param file with the settings.
     * @return this builder.
     * @throws IllegalArgumentException if the file is absent or unreadable, or has an unknown key or a value that is
     *                                  not allowed; the message names the file, the key and what is allowed. No setting
     *                                  was changed.
     */
    public JournalBuilder settings(final Path file)
    {
        SettingsFile.apply(Objects.requireNonNull(file, "file"), settings);
        return this;
    }

    /**
     * How bytes reach the files. The content is the same for all backends, so each opening may use another backend.
     *
     * @param backend to use; {@link Backend#MAPPED} unless set.
     * @return this builder.
     */
    public JournalBuilder backend(final Backend backend)
    {
        settings.backend = Objects.requireNonNull(backend, "backend");
        return this;
    }

    /**
     * Length of each segment file. A journal keeps the length it was created with: opening it uses that length, and
     * throws if another length is set. Space is taken 4 MiB ahead of the records, and up to 128 MiB as the journal
     * grows, but not beyond the next segment. {@link Retention#bytes} keeps two segments at least.
     *
     * @param segmentLength in bytes, a power of two from {@link #MIN_SEGMENT_LENGTH} to {@link #MAX_SEGMENT_LENGTH};
     *                      {@link #DEFAULT_SEGMENT_LENGTH} for a new journal unless set.
     * @return this builder.
     * @throws IllegalArgumentException if the length is not allowed.
     */
    public JournalBuilder segmentLength(final int segmentLength)
    {
        settings.segmentLength = Settings.checkSegmentLength(segmentLength);
        return this;
    }

    /**
     * Buffers records in memory before they are written, on backends that write; a mapped journal needs no buffer.
     * <p>
     * With 0 each record is written before append returns. Otherwise records are written when the window is full, when
     * they are forced, when a reader of this journal asks for them, and by the background agent a few milliseconds
     * later; until then a crash of this process loses them. The window grows to the longest record.
     *
     * @param length of the window in bytes, 0 to {@link #MAX_WRITE_WINDOW}. Unless set, 0, and 64 KiB with
     *               {@link Backend#DIRECT}, where each write waits for the device.
     * @return this builder.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public JournalBuilder writeWindow(final int length)
    {
        settings.writeWindow = Settings.checkWriteWindow(length);
        return this;
    }

    /**
     * Limits the length of records; longer ones are refused.
     *
     * @param length of the longest record in bytes; unless set lower, the longest that fits an empty segment, at most
     *               16 MiB.
     * @return this builder.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public JournalBuilder maxRecordLength(final int length)
    {
        if (length < 0 || length > FrameHeader.MAX_RECORD_LENGTH)
        {
            throw new IllegalArgumentException(
                "record length must be from 0 to " + FrameHeader.MAX_RECORD_LENGTH + ": length=" + length);
        }

        settings.maxRecordLength = length;
        return this;
    }

    /**
     * When the journal forces records without an explicit call. May differ from one opening to the next.
     *
     * @param policy to use; {@link ForcePolicy#manual()} unless set.
     * @return this builder.
     */
    public JournalBuilder force(final ForcePolicy policy)
    {
        settings.forcePolicy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * How much history is kept. May differ from one opening to the next.
     *
     * @param retention to use; {@link Retention#none()} unless set.
     * @return this builder.
     */
    public JournalBuilder retention(final Retention retention)
    {
        settings.retention = Objects.requireNonNull(retention, "retention");
        return this;
    }

    /**
     * Whether files of pruned segments are reused for new ones, instead of deleting them and filling new files with
     * zeros. Reuse saves writing these; it keeps a few spare files.
     *
     * @param isRecycling false unless set.
     * @return this builder.
     */
    public JournalBuilder recycleSegments(final boolean isRecycling)
    {
        settings.isRecycling = isRecycling;
        return this;
    }

    /**
     * How often readers of this journal verify the checksum of a record. Without it they replay faster, the more so
     * the longer the records, but a handler may be given bytes that were damaged on the device.
     *
     * @param verification {@link JournalReader.Verification#ALWAYS} unless set.
     * @return this builder.
     */
    public JournalBuilder verification(final JournalReader.Verification verification)
    {
        settings.verification = Objects.requireNonNull(verification, "verification");
        return this;
    }

    /**
     * Whether the journal has a thread for the background agent, which prepares segments, makes the forces that a
     * {@link ForcePolicy} leaves to it, applies {@link Retention} and notifies durability listeners. If no thread runs
     * the agent, the appending thread creates segments itself and applies retention on a full disk, but no force of
     * {@link ForcePolicy#every} is made, nothing else is pruned and no listener is called before the journal is closed:
     * {@link Journal#awaitForced(long)} under that policy then waits until another thread calls {@link Journal#force()}
     * or closes the journal. A write window is then written when it is full, before a force, or for a reader, and only
     * the next roll notices that the directory is gone.
     *
     * @param isThreaded true, the default, for daemon threads that the journals of a process share; false if the caller
     *                   invokes {@link Journal#backgroundAgent()} repeatedly, at once if there was work: longer work,
     *                   such as filling a segment, is done in many rounds.
     * @return this builder.
     */
    public JournalBuilder backgroundThread(final boolean isThreaded)
    {
        settings.isBackgroundThreaded = isThreaded;
        return this;
    }

    /**
     * Name of the journal, which identifies it within the process: in the name of the background agent's thread, in
     * log messages, in Flight Recorder events and in the exceptions of a failed journal. Nothing is stored.
     *
     * @param name of the journal; its path unless set.
     * @return this builder.
     */
    public JournalBuilder name(final String name)
    {
        settings.name = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Handler for errors in the background. Threads that append or force also get an exception.
     *
     * @param errorHandler called on the background agent's thread; for exceptions of a durability listener's last call,
     *                     on the closing thread; for corrupt snapshots, on the thread that uses
     *                     {@link Journal#snapshots()}. Unless set, it logs through {@link System.Logger}.
     * @return this builder.
     */
    public JournalBuilder errorHandler(final ErrorHandler errorHandler)
    {
        settings.errorHandler = Objects.requireNonNull(errorHandler, "errorHandler");
        return this;
    }

    /**
     * The clock for the timestamps in files, by which readers seek a time and {@link Retention#age} counts.
     *
     * @param clock in milliseconds since 1970-01-01 UTC; the system's unless set.
     * @return this builder.
     */
    public JournalBuilder clock(final EpochClock clock)
    {
        settings.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /**
     * Files to use instead of the backend's, such as files that inject faults.
     *
     * @param store of the journal's directory.
     * @return this builder.
     */
    public JournalBuilder store(final SegmentStore store)
    {
        settings.store = Objects.requireNonNull(store, "store");
        return this;
    }

    JournalBuilder randoms(final LongSupplier randoms)
    {
        settings.randoms = randoms;
        settings.terms = randoms;
        return this;
    }

    /**
     * Opens the journal. Creates it if absent, which {@link RecoveryReport#isNew()} reports; recovers it if its last
     * writer did not close it.
     *
     * @return the journal, open for appending and reading.
     * @throws IllegalArgumentException   if the path exists and is not a directory, or the segment length was set and
     *                                    differs from the journal's.
     * @throws JournalNotFoundException   if there is no journal, and no directory to create its own in: a path is
     *                                    created up to its last element only. Nothing was created.
     * @throws JournalLockedException     if another writer has it open.
     * @throws CorruptJournalException    if durable data is damaged or missing, or the files are not a journal.
     * @throws JournalFullException       if there is no space for what opening has to write.
     * @throws JournalException           if the journal was written in a newer format, or the files cannot be read or
     *                                    written. After any of these exceptions no record was changed, and the journal
     *                                    can be opened again.
     */
    public Journal open()
    {
        return Engine.open(settings, true);
    }

    /**
     * Opens the journal as {@link #open()} does, but never creates it: for a journal that must be there, so that a
     * wrong path does not go unnoticed.
     *
     * @return the journal, open for appending and reading.
     * @throws JournalNotFoundException if there is no journal, or it has not been created completely. Nothing was
     *                                  created. Other exceptions are those of {@link #open()}.
     */
    public Journal openExisting()
    {
        return Engine.open(settings, false);
    }

    /** The settings as text, for a log. */
    @Override
    public String toString()
    {
        return "JournalBuilder{path=" + settings.path +
            ", name=" + settings.name() +
            ", backend=" + settings.backend +
            ", segmentLength=" +
            (0 == settings.segmentLength ? settings.newSegmentLength + " if new" : settings.segmentLength) +
            ", writeWindow=" + settings.writeWindow() +
            ", maxRecordLength=" + settings.maxRecordLength +
            ", verification=" + settings.verification +
            ", force=" + settings.forcePolicy +
            ", retention=" + settings.retention +
            ", recycleSegments=" + settings.isRecycling +
            ", backgroundThread=" + settings.isBackgroundThreaded + '}';
    }

    Settings settings()
    {
        return settings;
    }
}
