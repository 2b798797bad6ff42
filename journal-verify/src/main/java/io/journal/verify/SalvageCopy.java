// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.internal.control.ControlFile;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.Permissions;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * Appends the records that a salvage finds to a new journal. It is written to a temporary directory beside the target,
 * which becomes the target by a rename once all of it is durable: a crash leaves no target or a complete one.
 */
final class SalvageCopy implements Salvage.Handler
{
    private static final String TEMPORARY_SUFFIX = ".unfinished";
    private static final int WINDOW_LENGTH = 1024 * 1024;
    // First segment of a journal that does not begin with the first record: the segment before counts as pruned.
    private static final long FIRST_ORDINAL = 1;

    private final Path target;
    private final Path temporary;
    private final int segmentLength;
    private final OptionalLong fillTag;
    private final JournalBuilder builder;
    private final List<Salvage.Range> copied = new ArrayList<>();
    private final List<Salvage.Gap> missing = new ArrayList<>();
    // Null until the sequence of its first record is known.
    private Journal journal;

    SalvageCopy(final Path target, final int segmentLength, final OptionalLong fillTag)
    {
        this.target = target.toAbsolutePath().normalize();
        this.segmentLength = segmentLength;
        this.fillTag = fillTag;
        temporary = this.target.resolveSibling(this.target.getFileName() + TEMPORARY_SUFFIX);
        builder = Journal.builder(temporary).backend(Backend.FILE_CHANNEL).segmentLength(segmentLength)
            .writeWindow(WINDOW_LENGTH).backgroundThread(false);
    }

    /** Copies all records of a source. If it throws, nothing of the copy is left. */
    Salvage.Result run(final SalvageSource source, final Path path) throws IOException
    {
        createDirectory(path);
        try
        {
            final long next = new Salvage(this).read(source);
            if (null == journal)
            {
                begin(Math.max(1, next));
            }
            journal.close();
            publish();
            return new Salvage.Result(
                copied.stream().mapToLong((range) -> range.last() - range.first() + 1).sum(), copied, missing);
        }
        catch (final Throwable ex)
        {
            // The copy is deleted before it is closed: closing fsyncs it, and a process that was interrupted has little
            // time.
            delete();
            CloseHelper.quietClose(journal);
            delete();
            throw ex;
        }
    }

    private void createDirectory(final Path source) throws IOException
    {
        if (FileType.ABSENT != FileType.of(target, LinkOption.NOFOLLOW_LINKS))
        {
            throw new IllegalArgumentException("the target must not exist: target=" + target);
        }
        if (FileType.nearestRealPath(target).startsWith(source.toRealPath()))
        {
            throw new IllegalArgumentException("the target lies within the journal: target=" + target);
        }
        if (FileType.DIRECTORY != FileType.of(target.getParent()))
        {
            throw new IllegalArgumentException("no directory to create the target in: target=" + target);
        }
        try
        {
            Files.createDirectory(temporary, Permissions.ofDirectory(temporary.getFileSystem()));
        }
        catch (final FileAlreadyExistsException ex)
        {
            throw new IllegalArgumentException(
                "another salvage to the target is in progress, or was killed; then delete: path=" + temporary, ex);
        }
    }

    private void publish() throws IOException
    {
        final SegmentStore parent = Backend.FILE_CHANNEL.store(target.getParent());
        final String from = String.valueOf(temporary.getFileName());
        final String to = String.valueOf(target.getFileName());
        try
        {
            parent.rename(from, to);
        }
        catch (final FileAlreadyExistsException ex)
        {
            throw new IllegalArgumentException("the target must not exist: target=" + target, ex);
        }
        try
        {
            parent.force();
        }
        catch (final IOException ex)
        {
            parent.rename(to, from);
            throw ex;
        }
    }

    private void delete()
    {
        try (Stream<Path> files = Files.walk(temporary))
        {
            for (final Path file : (Iterable<Path>)files.sorted(Comparator.reverseOrder())::iterator)
            {
                Files.deleteIfExists(file);
            }
        }
        catch (final IOException ignore)
        {
            // The reason why the salvage failed matters more.
        }
    }

    @Override
    public void onRecord(
        final long sequence,
        final long tag,
        final long position,
        final ByteBuffer buffer,
        final int offset,
        final int length)
    {
        if (null == journal)
        {
            final long start = missing.isEmpty() || fillTag.isEmpty() ? Salvage.UNKNOWN : missing.get(0).first();
            begin(Salvage.UNKNOWN == start ? sequence : start);
        }
        while (fillTag.isPresent() && journal.lastSequence() < sequence - 1)
        {
            append(fillTag.getAsLong(), ByteBuffer.allocate(0), 0, 0);
        }

        final long newSequence = append(tag, buffer.duplicate().clear(), offset, length);
        final Salvage.Range last = copied.isEmpty() ? null : copied.get(copied.size() - 1);
        if (null != last && last.last() + 1 == sequence)
        {
            copied.set(copied.size() - 1, new Salvage.Range(last.first(), sequence, last.newFirst()));
        }
        else
        {
            copied.add(new Salvage.Range(sequence, sequence, newSequence));
        }
    }

    @Override
    public void onGap(final Salvage.Gap gap)
    {
        missing.add(gap);
    }

    private long append(final long tag, final ByteBuffer record, final int offset, final int length)
    {
        if (Thread.currentThread().isInterrupted())
        {
            throw new JournalException("interrupted; nothing of the new journal is left");
        }
        return journal.appender().append(tag, record, offset, length);
    }

    private void begin(final long firstSequence)
    {
        try
        {
            if (firstSequence > 1)
            {
                create(Backend.FILE_CHANNEL.store(temporary), firstSequence);
            }
        }
        catch (final IOException ex)
        {
            // Wrapped, because a plain IOException means that the source cannot be read.
            throw new JournalException("cannot create the new journal: path=" + temporary + "; cause=" + ex, ex);
        }
        journal = builder.open();
    }

    /** Creates a journal without a record that begins with a later one. */
    private void create(final SegmentStore store, final long firstSequence) throws IOException
    {
        final UUID uuid = UUID.randomUUID();
        JournalRepair.make(store, uuid, FIRST_ORDINAL, segmentLength);
        final long start = FIRST_ORDINAL * segmentLength;
        final long first = start + SegmentHeader.LENGTH;
        final History history = new History(
            0, Term.NONE, start, firstSequence, Term.NONE, 0,
            List.of(new Cut(0, Term.NONE, first, first, firstSequence, Term.NONE)));
        ControlFile.create(
            store, JournalFiles.CONTROL, uuid, segmentLength, new ControlState(1, history, new TreeMap<>(), null),
            new ControlState.End(first, firstSequence), System.currentTimeMillis());
    }
}
