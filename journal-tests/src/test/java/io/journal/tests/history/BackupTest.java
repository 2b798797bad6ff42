// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalLockedException;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.tests.damage.Damage;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import io.journal.tests.support.UsableBackends;
import io.journal.verify.JournalVerifier;
import org.junit.jupiter.api.BeforeEach;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class BackupTest extends RecoveryFixture
{
    private JournalDirectory copy()
    {
        return directory("copies/copy");
    }

    private JournalDirectory unfinished()
    {
        return directory("copies/copy.unfinished-backup");
    }

    @BeforeEach
    void createParent() throws IOException
    {
        Files.createDirectory(temp.resolve("copies"));
    }

    private void assertNothingOfTheCopy(final String when)
    {
        assertArrayEquals(new String[0], temp.resolve("copies").toFile().list(), when);
    }

    @EachBackend
    void copyHoldsEverythingAndIsContinuedByItself(final Backend backend)
    {
        final JournalDirectory copy = copy();
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            model.forceAndMark(journal);
            model.append(journal, 5, 100);
            assertEquals(model.size(), journal.backup(copy.path));
            assertTrue(journal.forcedSequence() >= model.size());
            final RecordModel other = model.copy();
            model.append(journal, 3, 100);
            for (int i = 0; i < 2; i++)
            {
                try (Journal opened = open(copy, UsableBackends.one(backend.ordinal() + i, temp)))
                {
                    other.assertHolds(opened);
                    assertNothingCut(opened.recoveryReport());
                    assertFalse(opened.recoveryReport().mayHaveLostAcknowledged());
                    other.append(opened, 30, 3000);
                }
            }
            model.assertHolds(journal);
        }
        assertArrayEquals(live.read(CONTROL, 0, 56), copy.read(CONTROL, 0, 56));
    }

    @EachBackend
    void emptyJournalAndJournalThatEndsNearTheEndOfASegmentAreCopied(final Backend backend)
    {
        for (final int leftover : new int[]{ 0, 8, 16, 24, 32, 40, 48, 80, SEGMENT_LENGTH })
        {
            final JournalDirectory source = directory("source-" + leftover);
            final JournalDirectory copy = directory("copy-" + leftover);
            final long last;
            try (Journal journal = open(source.path, backend))
            {
                if (leftover < SEGMENT_LENGTH)
                {
                    fillSegment(journal, leftover);
                }
                last = journal.lastSequence();
                assertEquals(last, journal.backup(copy.path));
            }
            try (Journal journal = open(copy.path, backend))
            {
                appendNumbered(journal, 5, 100);
                assertNumbered(1, last + 5, readAll(journal));
            }
        }
    }

    @EachBackend
    void startAndTermOfTheJournalAreCopied(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            journal.force();
            live.copyTo(crashed.path);
        }
        final State state = crashed.state();
        final long first = crashed.records(1).get(0).sequence();
        crashed.writeState(
            state.withGeneration(state.generation() + 1).withStart(SEGMENT_LENGTH, first));
        final JournalDirectory copy = copy();
        try (Journal journal = open(crashed, backend))
        {
            journal.backup(copy.path);
        }

        assertEquals(List.of(1L, 2L), copy.ordinals());
        assertEquals(crashed.state().number(), copy.state().number());
        assertEquals(crashed.state().term(), copy.state().term());
        final Journal journal = closing(open(copy, backend));
        assertEquals(first, journal.firstSequence());
        assertEquals(model.size(), journal.lastSequence());
        assertEquals(model.size() - first + 1, readAll(journal).size());
    }

    @EachBackend
    void appendsContinueDuringABackup(final Backend backend)
    {
        final JournalDirectory copy = copy();
        final Journal journal = closing(open(live, backend));
        model.appendInto(journal, 2, 3000);
        final long before = model.size();
        final AtomicInteger steps = new AtomicInteger();

        final long last = Internals.backup(journal, copy.path, stepping(copy, (step, name) ->
        {
            // In the middle of the backup another thread appends, forces and reads.
            Background.start("appender", () ->
            {
                model.append(journal, 3, 3000);
                journal.awaitForced(model.size());
                model.assertHolds(journal);
            }).join();
            steps.incrementAndGet();
        }));

        assertTrue(steps.get() > 10, steps::toString);
        assertEquals(before, last);
        assertEquals(before + 3L * steps.get(), model.size());
        model.assertHolds(journal);
        final Journal opened = closing(open(copy, backend));
        model.assertHolds(opened, before);
    }

    @EachBackend
    void cursorsAreCopiedButNotAheadOfTheCopy(final Backend backend)
    {
        final JournalDirectory copy = copy();
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("behind").save(4);
            journal.cursor("ahead").save(10);
            journal.force();
            live.copyTo(crashed.path);
        }
        try (Journal journal = open(crashed, backend))
        {
            Internals.backup(journal, copy.path, stepping(copy, (step, name) ->
            {
                if (name.contains(segmentName(0)) && Step.FORCE == step)
                {
                    model.append(journal, 5, 100);
                    journal.cursor("ahead").save(14);
                }
            }));
            assertEquals(14, journal.cursor("ahead").sequence());
        }
        final Journal journal = closing(open(copy, backend));
        model.assertHolds(journal, 10);
        assertEquals(List.of("ahead", "behind"), journal.cursorNames());
        assertEquals(10, journal.cursor("ahead").sequence());
        assertEquals(4, journal.cursor("behind").sequence());
    }

    @EachBackend
    void targetThatExistsOrLiesWithinTheJournalIsRejected(final Backend backend) throws IOException
    {
        final JournalDirectory copy = directory("copy");
        final Journal journal = closing(open(live, backend));
        model.append(journal, 3, 100);
        Files.createDirectory(copy.path);
        copy.put("somebodys", new byte[1]);
        final Path link = temp.resolve("link");
        Files.createFile(temp.resolve("other.unfinished-backup"));
        final List<Path> refused = new ArrayList<>(List.of(
            copy.path,
            Files.createDirectory(temp.resolve("empty")),
            temp.resolve("other"),
            temp.getRoot(),
            copy.file("somebodys"),
            live.path,
            live.path.resolve("backup"),
            live.path.resolve("deep/backup"),
            temp.resolve("elsewhere/..").resolve(live.path.getFileName()).resolve("backup")));
        if (Files.getFileStore(temp).supportsFileAttributeView("posix"))
        {
            refused.add(Files.createSymbolicLink(link, live.path).resolve("backup"));
            refused.add(Files.createSymbolicLink(temp.resolve("dangling"), temp.resolve("nowhere")));
        }
        final Map<String, byte[]> before = live.content();
        for (final Path target : refused)
        {
            assertThrows(IllegalArgumentException.class, () -> journal.backup(target), target::toString);
        }
        if (Files.isSymbolicLink(link))
        {
            final Path target = temp.resolve("dangling").resolve("copy");
            assertThrows(JournalException.class, () -> journal.backup(target));
            assertTrue(Files.isSymbolicLink(temp.resolve("dangling")));
        }
        // A path that is wrong, or a volume that is not mounted, is not created.
        assertThrows(JournalException.class, () -> journal.backup(temp.resolve("nowhere/copy")));
        live.assertHolds(before);
        assertEquals(1, copy.content().size());
        assertFalse(Files.exists(temp.resolve("nowhere")));
    }

    @EachBackend
    void copyIsForItsOwnerOnly(final Backend backend) throws IOException
    {
        assumeTrue(temp.getFileSystem().supportedFileAttributeViews().contains("posix"), "no modes here");
        final JournalDirectory copy = copy();
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 3, 100);
            journal.cursor("a").save(2);
            journal.backup(copy.path);
        }
        try (Stream<Path> paths = Files.walk(copy.path))
        {
            for (final Path path : (Iterable<Path>)paths::iterator)
            {
                assertEquals(
                    Files.isDirectory(path) ? "rwx------" : "rw-------",
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(path)), path::toString);
            }
        }
    }

    @EachBackend
    void damagedRecordFailsTheBackupAndLeavesNothing(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        model.appendInto(journal, 3, 3000);
        journal.force();
        final List<JournalDirectory.Frame> records = live.records(1);
        for (final Damage damage : Damage.values())
        {
            final Map<String, byte[]> image = live.content();
            damage.apply(live, records.get(7));

            final CorruptJournalException ex =
                assertThrows(CorruptJournalException.class, () -> journal.backup(copy().path));

            assertNames(ex.getMessage(), records.get(7));
            assertNothingOfTheCopy(damage.toString());
            live.overwrite(segmentName(1), 0, image.get(segmentName(1)));
        }
        // A parent that was there stays there, without the remains of an earlier backup.
        Damage.CHECKSUM.apply(live, records.get(7));
        unfinished().restore(Map.of(segmentName(0), new byte[10]));
        assertThrows(CorruptJournalException.class, () -> journal.backup(copy().path));
        assertNothingOfTheCopy("remains");
    }

    @EachBackend
    void failureAtAnyStepLeavesNothingOfTheCopy(final Backend backend)
    {
        for (final IOException failure : List.of(
            new IOException("injected"), new NoSpaceException("injected", null)))
        {
            begin();
            final JournalDirectory copy = directory("copies/" + failure.getClass().getSimpleName());
            final Journal journal = closing(open(live, backend));
            model.appendInto(journal, 1, 8000);
            journal.cursor("a").save(3);
            int failures = 0;
            while (isFailed(journal, copy, failures, failure))
            {
                failures++;
                assertFalse(Files.exists(copy.path));
                assertFalse(Files.exists(directory("copies/" + copy.path.getFileName() + ".unfinished-backup").path));
            }
            final int count = failures;
            assertTrue(count > 12, () -> "failures=" + count);
            model.append(journal, 1, 100);
            journal.force();
            try (Journal opened = open(copy, backend))
            {
                model.assertHolds(opened, model.size() - 1);
            }
        }
    }

    private static boolean isFailed(
        final Journal journal, final JournalDirectory copy, final int failing, final IOException failure)
    {
        final AtomicInteger steps = new AtomicInteger();
        try
        {
            Internals.backup(journal, copy.path, new StepStore(
                Backend.FILE_CHANNEL.store(copy.path.getParent()), (step, name) ->
                {
                    if (steps.getAndIncrement() == failing)
                    {
                        throw failure;
                    }
                    return true;
                }));
            return false;
        }
        catch (final JournalException ex)
        {
            assertEquals(failure instanceof NoSpaceException, ex instanceof JournalFullException, ex::toString);
            return true;
        }
    }

    @EachBackend
    void backupKilledAtAnyStepIsNoJournalAndIsRestarted(final Backend backend) throws IOException
    {
        final JournalDirectory copy = copy();
        final List<Map<String, byte[]>> ends = new ArrayList<>();
        final Journal journal = closing(open(live, backend));
        model.appendInto(journal, 1, 8000);
        journal.cursor("a").save(3);
        journal.snapshots().save(2, (output) -> output.write(1));
        Internals.backup(journal, copy.path, stepping(copy, (step, name) ->
        {
            if (Files.exists(unfinished().path))
            {
                ends.add(unfinished().content());
            }
        }));
        assertTrue(ends.size() > 15, () -> "steps=" + ends.size());
        model.append(journal, 5, 100);
        int refused = 0;
        for (final Map<String, byte[]> end : ends)
        {
            delete(copy);
            unfinished().restore(end);
            if (!end.containsKey(CONTROL) && end.containsKey(segmentName(1)))
            {
                assertThrows(CorruptJournalException.class, () -> open(unfinished(), backend));
                assertThrows(JournalException.class, () -> JournalVerifier.open(unfinished().path));
                refused++;
            }

            journal.backup(copy.path);

            assertFalse(Files.exists(unfinished().path));
            try (Journal opened = open(copy, backend))
            {
                model.assertHolds(opened);
                assertEquals(3, opened.cursor("a").sequence());
                assertEquals(2, opened.snapshots().load((input) -> assertEquals(1, input.read())));
            }
        }
        assertTrue(refused > 5, "refused=" + refused);
    }

    @EachBackend
    void undeletableRemainsOfABackupFailTheNext(final Backend backend) throws IOException
    {
        final JournalDirectory copy = copy();
        final Journal journal = closing(open(live, backend));
        model.append(journal, 3, 100);
        unfinished().restore(Map.of("snapshots/somebodys/notes.txt", new byte[10]));

        final JournalException ex = assertThrows(JournalException.class, () -> journal.backup(copy.path));

        assertTrue(ex.getMessage().contains(copy.path.toString()), ex::getMessage);
        assertFalse(Files.exists(copy.path));
        assertTrue(Files.exists(unfinished().file("snapshots/somebodys/notes.txt")));
    }

    @EachBackend
    void targetCreatedMeanwhileIsKept(final Backend backend)
    {
        final JournalDirectory copy = copy();
        final Journal journal = closing(open(live, backend));
        model.append(journal, 3, 100);
        final IllegalArgumentException ex = assertThrows(
            IllegalArgumentException.class,
            () -> Internals.backup(journal, copy.path, stepping(copy, (step, name) ->
            {
                if (Step.RENAME == step && "copy".equals(name))
                {
                    copy.restore(Map.of("somebodys", new byte[1]));
                }
            })));

        assertTrue(ex.getMessage().contains(copy.path.toString()), ex::getMessage);
        assertEquals(Set.of("somebodys"), copy.content().keySet());
        assertFalse(Files.exists(unfinished().path));
    }

    @EachBackend
    void secondBackupToTheSameTargetIsRejectedWhileTheFirstIsMade(final Backend backend)
    {
        final JournalDirectory copy = copy();
        try (Journal journal = open(live, backend); Journal other = open(crashed, backend))
        {
            model.appendInto(journal, 1, 8000);
            final AtomicInteger refusals = new AtomicInteger();
            Internals.backup(journal, copy.path, stepping(copy, (step, name) ->
            {
                if (Step.FORCE == step)
                {
                    // The thread that makes the first backup holds the history.
                    assertThrows(JournalLockedException.class, () -> journal.backup(copy.path));
                    assertThrows(JournalLockedException.class, () -> other.backup(copy.path));
                    assertThrows(JournalLockedException.class, () -> open(unfinished(), backend));
                    refusals.incrementAndGet();
                }
                else if (Files.exists(copy.path))
                {
                    assertThrows(IllegalArgumentException.class, () -> other.backup(copy.path));
                    assertThrows(JournalLockedException.class, () -> open(copy, backend));
                    refusals.incrementAndGet();
                }
            }));
            assertTrue(refusals.get() > 3, refusals::toString);
        }
        final Journal journal = closing(open(copy, backend));
        model.assertHolds(journal);
    }

    @EachBackend
    void damageToTheEndOfACopyIsNoTornTail(final Backend backend)
    {
        final JournalDirectory copy = copy();
        final Journal journal = closing(open(live, backend));
        model.append(journal, 10, 100);
        journal.backup(copy.path);
        assertRefusedUnchanged(copy, backend, copy.record(10), Damage.BODY);
        assertRefusedUnchanged(copy, backend, copy.record(10), Damage.ZEROED);
    }

    @EachBackend
    void interruptedThreadMakesABackup(final Backend backend)
    {
        final JournalDirectory copy = copy();
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            Background.start("interrupted", () ->
            {
                Thread.currentThread().interrupt();
                Internals.backup(journal, copy.path,
                    stepping(copy, (step, name) -> Thread.currentThread().interrupt()));
                assertTrue(Thread.interrupted());
            }).join();
            model.append(journal, 1, 100);
            journal.force();
        }
        final Journal journal = closing(open(copy, backend));
        model.assertHolds(journal, model.size() - 1);
    }

    @EachBackend
    void closingEndsABackupThatIsUnderWay(final Backend backend)
    {
        final JournalDirectory copy = copy();
        final AtomicReference<Background> closer = new AtomicReference<>();
        final Journal journal = open(live, backend);
        model.appendInto(journal, 2, 3000);

        assertClosed(() -> Internals.backup(journal, copy.path, stepping(copy, (step, name) ->
        {
            if (null == closer.get() && Step.CREATE == step && name.contains("1"))
            {
                closer.set(Background.start("closer", journal::close));
                while (!journal.isClosed())
                {
                    closer.get().check();
                    Thread.onSpinWait();
                }
            }
        })));

        closer.get().join();
        assertNothingOfTheCopy("closed");
        assertClosed(() -> journal.backup(copy.path));
        final Journal next = closing(open(live, backend));
        model.assertHolds(next);
        assertTrue(next.recoveryReport().isCleanlyClosed());
    }

    @EachBackend
    void failedJournalRejectsBackup(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(Step.FORCE);
        final Journal journal = closing(open(live, backend, device));
        model.append(journal, 3, 100);
        device.fail();
        assertThrows(JournalException.class, () -> journal.backup(copy().path));
        device.work();
        assertThrows(JournalException.class, () -> journal.backup(copy().path));
        assertNothingOfTheCopy("failed");
        assertThrows(JournalException.class, journal::force);
    }

    private static void delete(final JournalDirectory directory) throws IOException
    {
        directory.restore(Map.of());
        Files.delete(directory.path);
    }

    private interface Steps
    {
        void before(Step step, String name) throws IOException;
    }

    private static StepStore stepping(final JournalDirectory copy, final Steps steps)
    {
        return new StepStore(Backend.FILE_CHANNEL.store(copy.path.getParent()), (step, name) ->
        {
            if (Step.MAKE_DIRECTORY != step)
            {
                steps.before(step, name);
            }
            return true;
        });
    }
}
