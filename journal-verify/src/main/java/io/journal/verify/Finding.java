// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.internal.files.JournalFiles;

/**
 * A finding of a verification.
 *
 * @param severity of the finding.
 * @param place    where it is.
 * @param lost     how many records cannot be read because of it, or -1 if that is not known.
 * @param expected what should be there.
 * @param found    what is there.
 * @param meaning  the consequence for the journal's owner.
 */
public record Finding(Severity severity, Place place, long lost, String expected, String found, String meaning)
{
    /** Kind of a finding. */
    public enum Severity
    {
        /** Durable data, or something needed to read it, is not what was written. */
        DAMAGE,
        /** Something other than the records is damaged, such as a snapshot. The records are intact. */
        UNUSABLE,
        /** Something written by a newer version of the library. */
        NEWER_FORMAT,
        /** Something that could not be read, because of missing permissions or a failing device: it may be intact. */
        UNREADABLE,
        /** Bytes after the end that are not known to be durable, left by a crash or an active writer. */
        TAIL,
        /** No damage, but something that limits what can be concluded. */
        NOTE
    }

    /**
     * Where a finding is.
     *
     * @param file     in the journal's directory, possibly one that is missing.
     * @param offset   in the file.
     * @param position of the place in the journal, or -1 if it is outside the segments.
     * @param sequence of the record expected there, or -1 if that is not known.
     */
    public record Place(String file, long offset, long position, long sequence)
    {
        static final long UNKNOWN = -1;

        /** A file that holds no records. */
        static Place of(final String file)
        {
            return new Place(file, 0, UNKNOWN, UNKNOWN);
        }

        Place at(final long offset)
        {
            return new Place(file, offset, position, sequence);
        }
    }

    private static final String SNAPSHOTS_PREFIX = JournalFiles.SNAPSHOTS + "/";
    private static final Pattern DETAILS =
        Pattern.compile(".*offset=(\\d+), expected=(.*), found=(.*?)(?:; .*)?", Pattern.DOTALL);

    /**
     * A finding for a fault whose message contains the place, the expected and the found content.
     *
     * @param expected used if the message does not contain it.
     */
    static Finding of(
        final Severity severity, final Place place, final String fault, final String expected, final String meaning)
    {
        final Matcher details = DETAILS.matcher(fault);
        return details.matches() ?
            new Finding(
                severity, place.at(Long.parseLong(details.group(1))), Place.UNKNOWN, details.group(2),
                details.group(3), meaning) :
            new Finding(severity, place, Place.UNKNOWN, expected, fault, meaning);
    }

    /** {@return whether something is wrong: a torn tail or a note is no damage} */
    public boolean isDamage()
    {
        return Severity.TAIL != severity && Severity.NOTE != severity;
    }

    /** {@return whether records are damaged by it, or may be} */
    public boolean concernsRecords()
    {
        return Severity.DAMAGE == severity ||
            !isOfSnapshots() && (Severity.NEWER_FORMAT == severity || Severity.UNREADABLE == severity);
    }

    /** {@return whether it is about the snapshots or their directory: no record depends on them} */
    public boolean isOfSnapshots()
    {
        return place.file.equals(JournalFiles.SNAPSHOTS) || place.file.startsWith(SNAPSHOTS_PREFIX);
    }

    /** {@return whether it is about a file that is named like a segment but is none: it has to be moved away} */
    public boolean isStrayFile()
    {
        return JournalFiles.isSegment(place.file) && !JournalFiles.isOrdinal(place.file);
    }

    /** Whether a truncation at its position removes the damage. */
    boolean isTruncatable()
    {
        return Severity.DAMAGE == severity && place.position >= 0;
    }

    /** Whether nothing may be truncated because of it. */
    boolean forbidsTruncation()
    {
        return concernsRecords() && !isTruncatable() && !isStrayFile();
    }
}
