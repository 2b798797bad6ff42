package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

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
 * One file that a salvage reads: a segment, wherever it is. The caller closes it.
 *
 * @param startSequence  of the first record, or {@link Salvage#UNKNOWN}.
 * @param forcedPosition up to which the segment is known to have been durable, or 0.
 */
record SegmentSource(
    SegmentFile file, String name, ByteBuffer header, long ordinal, int segmentLength, long startSequence,
    long forcedPosition)
{
    static SegmentSource of(final Path path) throws IOException
    {
        final String name = String.valueOf(path.getFileName());
        final SegmentFile file =
            Backend.FILE_CHANNEL.store(path.getParent()).open(name, SegmentStore.Access.READ);
        try
        {
            return ofSegment(file, path);
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
            file, name, header, ordinal, length,
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
}
