// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import io.journal.JournalAppender;
import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordBatch;
import io.journal.Retention;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.verify.Finding;
import io.journal.verify.JournalRepair;
import io.journal.verify.JournalVerifier;
import io.journal.verify.SegmentCheck;
import io.journal.verify.Verdict;
import org.agrona.CloseHelper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Uses a journal whose calls may fail, and records requests and acknowledgements in a {@link FaultModel}. Each method
 * can be retried if it threw.
 */
final class FaultSession
{
    static final int SEGMENT_LENGTH = 64 * 1024;

    final Path directory;
    final Backend backend;
    final FaultModel model;
    final List<Throwable> background = new ArrayList<>();
    /** Whether the background agent was invoked. */
    boolean hasWorked;
    Journal journal;
    private final Path target;
    private ForcePolicy policy = ForcePolicy.manual();
    private boolean isRecycling;
    private boolean isThreaded;
    private boolean isShared;
    private int writeWindow;
    private Retention retention = Retention.none();
    private ReadOnlyJournal readOnly;
    private JournalReader reader;
    private final List<Long> read = new ArrayList<>();
    private FaultModel copied;
    private boolean isCopyBegun;

    FaultSession(final Path directory, final Backend backend, final FaultModel model)
    {
        this.directory = directory;
        this.backend = backend;
        this.model = model;
        target = directory.resolveSibling("copy");
    }

    FaultSession policy(final ForcePolicy policy)
    {
        this.policy = policy;
        return this;
    }

    FaultSession recycling()
    {
        isRecycling = true;
        return this;
    }

    FaultSession windowed()
    {
        writeWindow = 16 * 1024;
        return this;
    }

    FaultSession retaining(final Retention retention)
    {
        this.retention = retention;
        return this;
    }

    FaultSession shared()
    {
        isShared = true;
        return this;
    }

    FaultSession threaded()
    {
        isThreaded = true;
        return this;
    }

    FaultSession open()
    {
        if (null == journal)
        {
            journal = Journal.builder(directory)
                .backend(backend).writeWindow(0)
                .segmentLength(SEGMENT_LENGTH)
                .writeWindow(writeWindow)
                .force(policy)
                .retention(retention)
                .recycleSegments(isRecycling)
                .backgroundThread(isThreaded)
                .errorHandler(this::onError)
                .open();
        }
        return this;
    }

    private synchronized void onError(final Throwable error)
    {
        background.add(error);
    }

    FaultSession append(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final long sequence = journal.lastSequence() + 1;
            model.appending(sequence, sequence);
            assertEquals(sequence, appender().append(model.era(), model.record(sequence)));
            model.appended(sequence);
        }
        return this;
    }

    private JournalAppender appender()
    {
        return isShared ? journal.sharedAppender() : journal.appender();
    }

    FaultSession appendBatch(final int count)
    {
        final long first = journal.lastSequence() + 1;
        final RecordBatch batch = new RecordBatch();
        model.appending(first, first + count - 1);
        for (int i = 0; i < count; i++)
        {
            batch.add(model.era(), model.record(first + i));
        }
        assertEquals(first + count - 1, appender().append(batch));
        model.appended(first + count - 1);
        return this;
    }

    FaultSession force()
    {
        journal.force();
        assertEquals(journal.lastSequence(), journal.forcedSequence());
        return this;
    }

    FaultSession awaitForced()
    {
        journal.awaitForced(model.lastCertain());
        assertTrue(journal.forcedSequence() >= model.lastCertain());
        return this;
    }

    FaultSession roll()
    {
        journal.roll();
        return this;
    }

    FaultSession truncate(final long last)
    {
        if (last < model.lastCertain())
        {
            model.truncating(last);
            journal.truncateAfter(last);
            model.truncated();
        }
        assertEquals(last, journal.lastSequence());
        assertEquals(last, journal.forcedSequence());
        return this;
    }

    FaultSession prune(final long sequence)
    {
        model.pruning(sequence);
        model.pruned(journal.prune(sequence));
        return this;
    }

    /** From here on the background agent may drop records before a sequence. */
    FaultSession mayDropBefore(final long sequence)
    {
        model.pruning(sequence);
        return this;
    }

    FaultSession cursor(final String name)
    {
        model.creatingCursor(name);
        model.createdCursor(journal.cursor(name));
        return this;
    }

    FaultSession save(final String name, final long sequence)
    {
        final JournalCursor cursor = journal.cursor(name);
        model.saving(name, sequence);
        cursor.save(sequence);
        model.saved(name, sequence);
        assertEquals(sequence, cursor.sequence());
        assertTrue(journal.forcedSequence() >= sequence);
        return this;
    }

    FaultSession deleteCursor(final String name)
    {
        model.deletingCursor(name);
        journal.deleteCursor(name);
        model.deletedCursor(name);
        return this;
    }

    FaultSession saveSnapshot(final long sequence)
    {
        model.changingSnapshot(sequence);
        journal.snapshots().save(sequence, (output) -> new DataOutputStream(output).writeLong(sequence));
        model.changedSnapshot(sequence);
        return this;
    }

    FaultSession loadSnapshot()
    {
        model.assertSnapshot(journal);
        return this;
    }

    FaultSession pruneBySnapshots(final long older)
    {
        model.pruning(older + 1);
        model.pruned(journal.snapshots().prune());
        return this;
    }

    /** Discards the newest snapshot. */
    FaultSession discardSnapshot(final long older)
    {
        model.changingSnapshot(older);
        journal.snapshots().discardAfter(older);
        model.changedSnapshot(older);
        return this;
    }

    FaultSession doWork(final int times)
    {
        hasWorked = true;
        for (int i = 0; i < times; i++)
        {
            try
            {
                journal.backgroundAgent().doWork();
            }
            catch (final Exception ex)
            {
                throw new AssertionError("thrown by the background agent", ex);
            }
        }
        return this;
    }

    FaultSession backup()
    {
        if (null == copied)
        {
            final boolean isLeft = !isCopyBegun && (Files.exists(target) || Files.exists(unfinished()));
            assertEquals(model.lastCertain(), journal.backup(target));
            copied = model.copy();
            assertFalse(isLeft, "something was left of a backup that threw");
        }
        return this;
    }

    /** Leaves the files of a process that ended in the middle of a backup. */
    FaultSession beginBackup()
    {
        backup();
        copied = null;
        isCopyBegun = true;
        try
        {
            Files.move(target, unfinished());
            Files.delete(unfinished().resolve(JournalFiles.CONTROL));
            Files.delete(unfinished().resolve(JournalFiles.segment(1)));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return this;
    }

    private Path unfinished()
    {
        return target.resolveSibling(target.getFileName() + ".unfinished-backup");
    }

    FaultSession openReader()
    {
        if (null == reader)
        {
            reader = journal.openReader();
        }
        return this;
    }

    FaultSession openReadOnly()
    {
        if (null == readOnly)
        {
            readOnly = Journal.openReadOnly(directory);
        }
        if (null == reader)
        {
            reader = readOnly.openReader();
        }
        return this;
    }

    /** Polls all records, and continues where an earlier call threw. */
    FaultSession poll(final int limit)
    {
        while (reader.poll(model.checking(read), limit) > 0)
        {
            assertTrue(read.size() <= model.lastCertain());
        }
        model.assertRead(read.isEmpty() ? 1 : read.get(0), read);
        assertEquals(JournalReader.State.FOLLOWING, reader.state());
        return this;
    }

    FaultSession seek(final long sequence)
    {
        read.clear();
        reader.seek(sequence);
        assertEquals(sequence, reader.nextSequence());
        return this;
    }

    FaultSession seekToEnds()
    {
        read.clear();
        reader.seekToEnd();
        assertEquals(model.lastCertain() + 1, reader.nextSequence());
        reader.pollBackwards(model.checking(read), 5);
        assertEquals(5, read.size());
        read.clear();
        reader.seekToStart();
        return this;
    }

    FaultSession readState()
    {
        assertEquals(model.lastCertain(), readOnly.lastSequence());
        assertTrue(readOnly.forcedSequence() <= model.lastCertain());
        for (final JournalCursor.Saved cursor : readOnly.cursors())
        {
            assertTrue(cursor.sequence() <= model.lastCertain(), cursor::toString);
        }
        return this;
    }

    /** Reads every frame, which must find no damage. */
    FaultSession verifyAll()
    {
        for (final Finding finding : verify(directory).findings())
        {
            if (Finding.Severity.UNREADABLE == finding.severity())
            {
                throw new JournalException(finding.toString());
            }
            assertEquals(Finding.Severity.TAIL, finding.severity(), finding::toString);
        }
        return this;
    }

    /** Asserts that nothing has to be rebuilt. */
    FaultSession repair()
    {
        assertEquals(List.of(), JournalRepair.rebuildable(directory));
        try (JournalRepair repair = JournalRepair.open(directory))
        {
            assertEquals(List.of(), repair.rebuild());
        }
        return this;
    }

    FaultSession closeReader()
    {
        if (null != reader)
        {
            reader.close();
            reader = null;
            read.clear();
        }
        return this;
    }

    FaultSession close()
    {
        if (null != journal)
        {
            journal.close();
        }
        return this;
    }

    boolean isFailed()
    {
        return null != journal && journal.counters().isFailed();
    }

    /** The last record that survives a crash. */
    long writtenSequence()
    {
        return null == journal ? Long.MAX_VALUE : journal.writtenSequence();
    }

    boolean isOpen()
    {
        return null != journal && !journal.isClosed();
    }

    /** Closes everything, and checks backups and snapshots. */
    void end()
    {
        CloseHelper.closeAll(reader, readOnly, journal);
    }

    /** Checks a completed copy. */
    void assertCopied()
    {
        if (null != copied)
        {
            try (Journal copy = Journal.builder(target).backend(backend).writeWindow(0).backgroundThread(false).open())
            {
                copied.assertCopied(copy);
            }
        }
    }

    /**
     * Checks a journal that was opened: that it is intact, holds all records that it must, and can be used.
     *
     * @param isOpenedAgain whether it is also verified, and opened once more, after that.
     */
    static void assertOpens(
        final Path directory, final Backend backend, final FaultModel model, final boolean isOpenedAgain)
    {
        if (Files.exists(directory.resolve(JournalFiles.CONTROL)))
        {
            final Verdict verdict = verify(directory);
            assertFalse(verdict.isDamaged(), () -> "before opening: " + verdict);
        }

        final FaultSession session = new FaultSession(directory, backend, model).open();
        try
        {
            model.assertKept(session.journal);
            session.append(1).cursor("another").save("another", model.lastCertain()).append(1).force();
            for (final String name : new TreeSet<>(session.journal.cursorNames()))
            {
                session.save(name, model.lastCertain());
            }
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(session.journal);
            throw ex;
        }
        session.close();
        assertEquals(List.of(), session.background);
        if (isOpenedAgain)
        {
            assertClosed(directory, backend, model);
        }
    }

    private static void assertClosed(final Path directory, final Backend backend, final FaultModel model)
    {
        final Verdict verdict = verify(directory);
        assertEquals(List.of(), verdict.findings(), "after closing");
        assertTrue(verdict.isCleanlyClosed());

        final FaultSession again = new FaultSession(directory, backend, model).open();
        try
        {
            assertTrue(again.journal.recoveryReport().isCleanlyClosed());
            model.assertKept(again.journal);
        }
        finally
        {
            again.close();
        }
    }

    private static Verdict verify(final Path directory)
    {
        final JournalVerifier verifier = JournalVerifier.open(directory);
        final List<SegmentCheck> checks = new ArrayList<>();
        verifier.ordinals().forEach((ordinal) -> checks.add(verifier.check(ordinal, (bytes) ->
        {
        })));
        assertEquals(List.of(), verifier.info().strayFiles());
        return verifier.conclude(checks);
    }
}
