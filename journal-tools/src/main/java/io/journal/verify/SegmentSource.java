package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalNotFoundException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * One file that a salvage reads: a segment, wherever it is, or a torn tail from a {@code quarantine}. The caller closes
 * it.
 *
 * @param from           offset in the segment at which it begins to be read.
 * @param startSequence  of the first record, or {@link Salvage#UNKNOWN}.
 * @param forcedPosition up to which the segment is known to have been durable, or 0.
 */
record SegmentSource(
    SegmentFile file, String name, ByteBuffer header, long ordinal, int segmentLength, int from, long startSequence,
    long forcedPosition)
{
    // With a number behind it if a repair was repeated.
    private static final Pattern TAIL = Pattern.compile("(\\d{20})-\\d+(\\.repair)?\\.tail(\\.\\d+)?");

    static SegmentSource of(final Path path) throws IOException
    {
        final String name = String.valueOf(path.getFileName());
        final Matcher tail = TAIL.matcher(name);
        final SegmentFile file =
            Backend.FILE_CHANNEL.store(path.getParent()).open(name, SegmentStore.Access.READ);
        try
        {
            return tail.matches() ? ofTail(file, path, Long.parseLong(tail.group(1))) : ofSegment(file, path);
        }
        catch (final Throwable ex)
        {
            file.close();
            throw ex;
        }
    }

    private static SegmentSource ofSegment(final SegmentFile file, final Path path) throws IOException
    {
        final String name = String.valueOf(path.getFileName());
        final ByteBuffer header = SalvageSource.valid(file, name);
        if (null == header && !name.contains(".journal"))
        {
            throw new JournalNotFoundException("neither a journal's directory nor a segment: file=" + path);
        }
        if (null == header)
        {
            throw new CorruptJournalException(
                "the header of a segment is damaged: file=" + path + "; in its journal, salvage reads it",
                null, name, 0, Salvage.UNKNOWN);
        }

        final int length = (int)SegmentHeader.segmentLength(header);
        final long ordinal = SegmentHeader.ordinal(header);
        final SalvageSource journal = JournalFiles.segment(ordinal).equals(name) ? journal(path, header) : null;
        final long start = new Layout(length).position(ordinal, 0);
        return new SegmentSource(
            file, name, header, ordinal, length, SegmentHeader.LENGTH,
            null != journal && start == journal.startPosition ?
                journal.startSequence : SalvageSource.startSequence(ordinal),
            null == journal ? 0 : Math.min(journal.forcedPosition, start + length));
    }

    /** The journal in whose directory a segment is, or null: the segment can be read without it. */
    private static SalvageSource journal(final Path path, final ByteBuffer header)
    {
        try
        {
            final Path directory = path.getParent();
            final SalvageSource journal = SalvageSource.of(Backend.FILE_CHANNEL.store(directory), directory);
            return journal.isSurelyOf(header) ? journal : null;
        }
        catch (final JournalException | IOException ex)
        {
            return null;
        }
    }

    /**
     * A torn tail is the content of a segment from a position on. Unless that is its beginning, the header is still in
     * the journal.
     */
    private static SegmentSource ofTail(final SegmentFile file, final Path path, final long position)
        throws IOException
    {
        final String name = String.valueOf(path.getFileName());
        final ByteBuffer own = SalvageSource.valid(file, name);
        if (null != own)
        {
            // All of a segment was truncated: the tail begins with its header.
            final int length = (int)SegmentHeader.segmentLength(own);
            return new SegmentSource(
                new TailFile(file, 0, length), name, own, SegmentHeader.ordinal(own), length, SegmentHeader.LENGTH,
                Salvage.UNKNOWN, 0);
        }

        final Path quarantine = path.getParent();
        final Path journal = null == quarantine ? null : quarantine.getParent();
        if (null == journal)
        {
            throw new JournalNotFoundException("not in the quarantine of a journal: file=" + path);
        }

        final SalvageSource source = SalvageSource.of(Backend.FILE_CHANNEL.store(journal), journal);
        final Layout layout = new Layout(source.segmentLength);
        final long ordinal = layout.ordinal(position);
        final ByteBuffer header;
        try (SegmentFile segment = source.open(ordinal))
        {
            header = source.header(segment, ordinal);
        }
        if (null == header)
        {
            throw new CorruptJournalException(
                "the header of the segment is damaged: file=" + source.name(ordinal), null, source.name(ordinal),
                0, Salvage.UNKNOWN);
        }

        final int from = layout.offset(position);
        return new SegmentSource(
            new TailFile(file, from, source.segmentLength), name, header, ordinal, source.segmentLength, from,
            Salvage.UNKNOWN, 0);
    }
}
