package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.CorruptJournalException;
import io.journal.JournalNotFoundException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.SegmentSet;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Which segments a salvage reads, and with which headers. What {@code journal.meta} says counts if it can be read;
 * otherwise a segment's header says what journal this is.
 */
final class SalvageSource
{
    final List<Long> ordinals;
    final UUID uuid;
    final int segmentLength;
    /** Of the first record, or {@link Salvage#UNKNOWN}. */
    final long startSequence;
    final long startPosition;

    private final SegmentStore store;
    // Or null if it cannot be read.
    private final JournalMeta meta;

    private SalvageSource(final SegmentStore store, final JournalMeta meta, final List<Long> found) throws IOException
    {
        this.store = store;
        this.meta = meta;
        if (null != meta)
        {
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
        else
        {
            final ByteBuffer header = anyHeader(store, found);
            uuid = Block.uuid(header);
            segmentLength = (int)SegmentHeader.segmentLength(header);
            startSequence = Salvage.UNKNOWN;
            ordinals = found;
            startPosition = found.get(0) * segmentLength;
        }
    }

    static SalvageSource of(final SegmentStore store, final Path path) throws IOException
    {
        final List<String> names = store.list();
        final List<Long> ordinals = SegmentSet.ordinals(names, (foreign) ->
        {
        });
        if (ordinals.isEmpty())
        {
            throw new JournalNotFoundException("no journal here: no segment in the directory: path=" + path);
        }

        JournalMeta meta = null;
        try
        {
            meta = names.contains(JournalFiles.META) ? JournalMeta.read(store, false) : null;
        }
        catch (final CorruptJournalException ignore)
        {
            // The headers of segments say the same.
        }
        return new SalvageSource(store, meta, ordinals);
    }

    private static ByteBuffer anyHeader(final SegmentStore store, final List<Long> ordinals) throws IOException
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
        }

        throw new CorruptJournalException(
            "neither " + JournalFiles.META + " nor the header of any segment can be read: restore one of them from a " +
                "backup");
    }

    /** The header of a segment, or null if it is damaged. */
    private static ByteBuffer valid(final SegmentFile file, final String name) throws IOException
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

    /** A file that is read without its journal. The caller closes it. */
    record SingleFile(
        SegmentFile file, String name, ByteBuffer header, long ordinal, int segmentLength, int from, int limit)
    {
        private static final Pattern TAIL = Pattern.compile("(\\d{20})-\\d+\\.tail");

        static SingleFile of(final Path path) throws IOException
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

        private static SingleFile ofSegment(final SegmentFile file, final Path path) throws IOException
        {
            final String name = String.valueOf(path.getFileName());
            final ByteBuffer header = valid(file, name);
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
            return new SingleFile(
                file, name, header, SegmentHeader.ordinal(header), length, SegmentHeader.LENGTH,
                (int)Math.min(length, file.length()));
        }

        /** A torn tail is the content of a segment from a position on; the header is still in the journal. */
        private static SingleFile ofTail(final SegmentFile file, final Path path, final long position)
            throws IOException
        {
            final Path quarantine = path.getParent();
            final Path journal = null == quarantine ? null : quarantine.getParent();
            if (null == journal)
            {
                throw new JournalNotFoundException("not in the quarantine of a journal: file=" + path);
            }

            final SalvageSource source =
                SalvageSource.of(Backend.FILE_CHANNEL.store(journal), journal);
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
            return new SingleFile(
                new ShiftedFile(file, from), String.valueOf(path.getFileName()), header, ordinal, source.segmentLength,
                from, (int)Math.min(source.segmentLength, from + file.length()));
        }
    }
}
