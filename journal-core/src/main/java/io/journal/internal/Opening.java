// SPDX-License-Identifier: Apache-2.0
package io.journal.internal;

import io.journal.RecoveryReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalNotFoundException;
import io.journal.internal.control.ControlFile;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.observe.Events;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.Permissions;
import io.journal.internal.recover.JournalCreation;
import io.journal.internal.recover.Recovery;
import io.journal.internal.segment.Segment;
import io.journal.internal.write.AgentRunner;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.CloseHelper;

/**
 * Opens a journal for writing: takes the lock, creates or recovers the journal, and starts at its end. A failure
 * releases everything that was opened before.
 */
public final class Opening
{
    // Space that all other files of a new journal take, on a file system of any usual block length.
    private static final int OVERHEAD = 256 * 1024;

    private Opening()
    {
    }

    static Engine open(final Settings settings, final boolean mayCreate)
    {
        final Path path = settings.path;
        try
        {
            return openLocked(settings, mayCreate);
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space to open the journal: path=" + path + "; free some space and open again; cause=" + ex, ex);
        }
        catch (final IOException | UncheckedIOException | InternalError ex)
        {
            throw new JournalException(
                "cannot open the journal: path=" + path + Permissions.explain(ex) + "; cause=" + ex, ex);
        }
    }

    private static Engine openLocked(final Settings settings, final boolean mayCreate) throws IOException
    {
        final Path path = settings.path;
        checkDirectory(path);

        final SegmentStore store = settings.store();
        store.checkFileSystem();
        final boolean isThere = store.list().contains(JournalFiles.CONTROL);
        if (!isThere)
        {
            checkCreation(path, store, mayCreate);
            store.makeDirectory();
        }
        DirectoryLock lock = null;
        ControlFile control = null;
        try
        {
            lock = DirectoryLock.acquire(path);
            final boolean isNew = !isThere && JournalCreation.createIfAbsent(
                store, settings.newSegmentLength(), settings.randoms, settings.clock);
            final Object event = Events.INSTANCE.begin(Events.Kind.RECOVERY);
            control = ControlFile.open(store);
            checkSegmentLength(settings, control.content.segmentLength());
            final Recovery recovered = new Recovery(store, control, settings.terms, isNew);
            final RecoveryReport report = recovered.report;
            Events.INSTANCE.endRecovery(
                event, settings.name(), path, report.isCleanlyClosed(), report.lastSequence(),
                report.endPosition() - report.scanStartPosition(), report.tornLength());
            final Engine engine = new Engine(settings, store, lock, recovered);
            start(engine);
            return engine;
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietCloseAll(control, lock);
            if (!isThere && ex instanceof NoSpaceException full)
            {
                throw wholeNeed(settings, full);
            }
            throw ex;
        }
    }

    /**
     * Each file's exception names that file's length only, and the next file would need more: names the total instead.
     */
    private static NoSpaceException wholeNeed(final Settings settings, final NoSpaceException cause)
    {
        return new NoSpaceException(
            "a new journal needs " + (settings.newSegmentLength() + OVERHEAD) + " bytes with its first segment, and " +
                settings.newSegmentLength() + " for each further segment; cause=" + cause.getMessage(),
            cause);
    }

    /**
     * @throws JournalNotFoundException if the journal is not to be created, or its parent directory does not exist.
     */
    private static void checkCreation(final Path path, final SegmentStore store, final boolean mayCreate)
        throws IOException
    {
        final Path parent = path.toAbsolutePath().getParent();
        if (!mayCreate)
        {
            JournalCreation.checkNoRecords(store);
            throw new JournalNotFoundException(
                "no journal: path=" + path + "; correct the path, or create it with builder.open()");
        }
        if (null != parent && FileType.DIRECTORY != FileType.of(parent))
        {
            throw new JournalNotFoundException(
                "no directory to create the journal in: path=" + path + ", missing=" + parent +
                    "; correct the path, or mount or create what is missing");
        }
    }

    /**
     * @throws IllegalArgumentException if the path exists and is not a directory.
     */
    public static void checkDirectory(final Path path) throws IOException
    {
        // A dangling link is not a directory either.
        if (FileType.DIRECTORY != FileType.of(path) && FileType.ABSENT != FileType.of(path, LinkOption.NOFOLLOW_LINKS))
        {
            throw new IllegalArgumentException("not a directory: path=" + path);
        }
    }

    private static void checkSegmentLength(final Settings settings, final int found)
    {
        final int wanted = settings.segmentLength;
        if (0 != wanted && wanted != found)
        {
            throw new IllegalArgumentException(
                "segment length differs from the journal's: segmentLength=" + wanted + ", journal's=" + found +
                    ", path=" + settings.path);
        }
    }

    private static void start(final Engine engine) throws IOException
    {
        final Recovery recovered = engine.recovered;
        final Segment segment = Segment.open(
            engine.store, SegmentStore.Access.APPEND, true, recovered.content.uuid(), recovered.ordinal,
            recovered.content.segmentLength());
        try
        {
            engine.supply.start(
                segment, recovered.offset, recovered.isNextThere, recovered.report.isNew(), engine.isRecycling);
            segment.firstSequence(recovered.nextSequence);
            engine.tail.start(segment, recovered.offset, engine.control.history().newest());
            // The watermark frame at the end is durable before anything can follow it.
            engine.forcer.force();
            engine.runners.forEach(AgentRunner::start);
        }
        catch (final Throwable ex)
        {
            engine.latch.close();
            engine.runners.forEach(AgentRunner::stop);
            CloseHelper.quietCloseAll(engine.supply, engine.forcer, segment);
            throw ex;
        }
    }
}
