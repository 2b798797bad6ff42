package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalNotFoundException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkContent;
import io.journal.internal.files.MarkFile;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.SegmentSet;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Which segments a salvage reads, and with which headers. {@code journal.meta} counts if it can be read; otherwise the
 * header of a segment identifies the journal.
 */
final class SalvageSource
{
    final List<Long> ordinals;
    final UUID uuid;
    final int segmentLength;
    /** Of the first record, or {@link Salvage#UNKNOWN}. */
    final long startSequence;
    final long startPosition;
    /** Position up to which the journal is known to have been durable, or 0. */
    final long forcedPosition;

    private final SegmentStore store;
    // Or null if it cannot be read.
    private final JournalMeta meta;

    private SalvageSource(
        final SegmentStore store, final JournalMeta meta, final long forcedPosition, final List<Long> found)
    {
        this.store = store;
        this.meta = meta;
        this.forcedPosition = forcedPosition;
        uuid = meta.uuid;
        segmentLength = meta.segmentLength;
        startSequence = meta.state.startSequence;
        startPosition = meta.state.startPosition;
        final Layout layout = new Layout(segmentLength);
        final JournalMeta.Cut cut = meta.state.pending;
        final long last = null == cut ? Long.MAX_VALUE : layout.ordinal(cut.position);
        ordinals = SegmentSet.from(found, layout.ordinal(startPosition)).stream()
            .filter((ordinal) -> ordinal <= last).toList();
    }

    /** By the headers of segments alone. */
    private SalvageSource(final SegmentStore store, final List<Long> found)
    {
        this.store = store;
        meta = null;
        final ByteBuffer header = anyHeader(store, found);
        uuid = Block.uuid(header);
        segmentLength = (int)SegmentHeader.segmentLength(header);
        ordinals = found;
        startSequence = startSequence(found.get(0));
        startPosition = found.get(0) * segmentLength;
        forcedPosition = forcedPosition(store, uuid, null);
    }

    static SalvageSource of(final SegmentStore store, final Path path) throws IOException
    {
        final JournalMeta meta = meta(store);
        // Before the segments are listed: a writer may begin others, and make them durable.
        final long forcedPosition = null == meta ? 0 : forcedPosition(store, meta.uuid, meta.state);
        final List<Long> ordinals = SegmentSet.ordinals(store.list(), (foreign) ->
        {
        });
        if (ordinals.isEmpty())
        {
            throw new JournalNotFoundException("no journal here: no segment in the directory: path=" + path);
        }

        return null == meta ? new SalvageSource(store, ordinals) :
            new SalvageSource(store, meta, forcedPosition, ordinals);
    }

    /**
     * {@code journal.meta}, or null if it is damaged or in a bad sector: the headers of segments identify the journal
     * as well.
     */
    private static JournalMeta meta(final SegmentStore store) throws IOException
    {
        if (!store.list().contains(JournalFiles.META))
        {
            return null;
        }

        try
        {
            return JournalMeta.read(store, false);
        }
        catch (final FileSystemException ex)
        {
            // Not opened: permission or a file descriptor is missing, and another try may succeed.
            throw ex;
        }
        catch (final CorruptJournalException | IOException ex)
        {
            return null;
        }
    }

    /**
     * The durable watermark in {@code journal.mark}, or 0 if that cannot be read or holds none.
     *
     * @param state whose watermark it must be; null if that is not known: the file has the newest one.
     */
    private static long forcedPosition(final SegmentStore store, final UUID uuid, final JournalMeta.State state)
    {
        try
        {
            final MarkContent mark = MarkFile.read(store, uuid);
            return mark.forcedPosition(
                null == state ? new JournalMeta.State(1, mark.epoch(), 0, 1, 0, null, false) : state);
        }
        catch (final IOException ex)
        {
            return 0;
        }
    }

    /** Sequence that the first segment begins with, as far as its ordinal shows; or {@link Salvage#UNKNOWN}. */
    static long startSequence(final long ordinal)
    {
        return 0 == ordinal ? 1 : Salvage.UNKNOWN;
    }

    private static ByteBuffer anyHeader(final SegmentStore store, final List<Long> ordinals)
    {
        for (final long ordinal : ordinals)
        {
            try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.READ))
            {
                final ByteBuffer header = valid(file, JournalFiles.segment(ordinal));
                if (null != header)
                {
                    return header;
                }
            }
            catch (final IOException ignore)
            {
                // The header of another segment has the same.
            }
        }

        throw new CorruptJournalException(
            "neither " + JournalFiles.META + " nor the header of any segment can be read: restore one of them from a " +
                "backup");
    }

    /** Whether this is the journal of a header, by a valid {@code journal.meta}. */
    boolean isSurelyOf(final ByteBuffer header)
    {
        return null != meta && uuid.equals(Block.uuid(header)) && segmentLength == SegmentHeader.segmentLength(header);
    }

    /** The header of a segment, or null if it is damaged. */
    static ByteBuffer valid(final SegmentFile file, final String name) throws IOException
    {
        if (file.length() < Block.LENGTH)
        {
            return null;
        }

        final ByteBuffer block = Block.allocate(1);
        file.read(0, block);
        try
        {
            Block.check(block, SegmentHeader.MAGIC, name, false);
            return JournalMeta.isSegmentLength(SegmentHeader.segmentLength(block)) ? block : null;
        }
        catch (final CorruptJournalException ex)
        {
            return null;
        }
    }

    String name(final long ordinal)
    {
        return JournalFiles.segment(ordinal);
    }

    SegmentFile open(final long ordinal) throws IOException
    {
        return store.open(name(ordinal), SegmentStore.Access.READ);
    }

    /** Offset up to which a segment counts: a truncation that is pending will remove the rest. */
    int limit(final long ordinal)
    {
        final Layout layout = new Layout(segmentLength);
        final JournalMeta.Cut cut = null == meta ? null : meta.state.pending;
        return null != cut && layout.ordinal(cut.position) == ordinal ? layout.offset(cut.position) : segmentLength;
    }

    /**
     * The header of a segment; if it is damaged, rebuilt with a salt that is searched for, which can take a minute.
     *
     * @return the header; null if it cannot be rebuilt, or is that of another segment or journal.
     */
    ByteBuffer header(final SegmentFile file, final long ordinal) throws IOException
    {
        final ByteBuffer header = valid(file, name(ordinal));
        if (null != header)
        {
            try
            {
                SegmentHeader.check(header, name(ordinal), uuid, ordinal, segmentLength, false);
                return header;
            }
            catch (final CorruptJournalException ex)
            {
                return null;
            }
        }
        if (file.length() < Block.LENGTH)
        {
            return null;
        }

        final ByteBuffer damaged = Block.allocate(1);
        file.read(0, damaged);
        final Long salt = SaltSearch.of(file, segmentLength).find(SegmentHeader.salt(damaged));
        return null == salt ? null : SegmentHeader.encode(uuid, ordinal, segmentLength, salt, 0, false);
    }
}
