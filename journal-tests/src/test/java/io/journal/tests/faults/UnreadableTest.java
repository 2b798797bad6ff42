package io.journal.tests.faults;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.JournalCursor;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.ReadOnlyJournal;
import io.journal.Retention;
import io.journal.internal.files.JournalMeta;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import io.journal.verify.Finding.Severity;
import io.journal.verify.JournalVerifier;
import io.journal.verify.SegmentCheck;
import io.journal.verify.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * An unreadable sector is not treated as corruption: it may be intact, and truncating it would lose it.
 */
class UnreadableTest extends RecoveryFixture
{
    // Whether the failing store fails now.
    private boolean isFailing = true;

    @ParameterizedTest
    @ValueSource(ints = { 0, 100, 4096, 30_000, SEGMENT_LENGTH - 1 })
    void readErrorOfASegmentIsNotReportedAsCorruption(final int failing)
    {
        try (Journal journal = open(live, Backend.FILE_CHANNEL))
        {
            model.appendInto(journal, 3, 3000);
        }

        final Verdict verdict = verify(failing);

        assertTrue(verdict.isDamaged());
        assertEquals(1, verdict.findings().size(), verdict::toString);
        assertEquals(Severity.UNREADABLE, verdict.findings().get(0).severity());
        assertEquals(segmentName(1), verdict.findings().get(0).place().file());
        assertTrue(verdict.findings().get(0).found().contains("Input/output error"), verdict::toString);
        assertTrue(verdict.findings().get(0).place().offset() <= failing, verdict::toString);
    }

    private Verdict verify(final int failing)
    {
        return verify(live.path, failing(Backend.FILE_CHANNEL.store(live.path), segmentName(1), failing));
    }

    private static Verdict verify(final Path path, final SegmentStore store)
    {
        final JournalVerifier verifier = JournalVerifier.open(path, store);
        final List<SegmentCheck> checks = verifier.ordinals().stream().map((ordinal) -> verifier.check(ordinal, (n) ->
        {
        })).toList();
        return verifier.conclude(checks);
    }

    @EachBackend
    void cursorThatFailsToBeReadIsReportedAndTheJournalOpens(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(5);
            journal.cursor("b").save(6);
            live.copyTo(crashed.path);
        }
        final SegmentStore store = failing(backend.store(crashed.path), "a.cursor", 0);

        final Verdict verdict = verify(crashed.path, store);
        assertTrue(verdict.isDamaged());
        assertEquals(1, verdict.findings().size(), verdict::toString);
        assertEquals(Severity.UNREADABLE, verdict.findings().get(0).severity());
        assertTrue(verdict.findings().get(0).found().contains("a.cursor"), verdict::toString);

        try (ReadOnlyJournal followed = Internals.openReadOnly(crashed.path, store))
        {
            final List<JournalCursor.Saved> saved = followed.cursors();
            assertEquals(2, saved.size());
            assertFalse(saved.get(0).isUsable());
            assertUnreadable(new JournalException(saved.get(0).fault()));
            assertEquals(6, saved.get(1).sequence());
        }

        final byte[] cursor = crashed.read("cursors/a.cursor");
        try (Journal journal = model.builder(crashed, backend).store(store).open())
        {
            model.assertHolds(journal);
            assertUnreadable(assertThrows(JournalException.class, () -> journal.cursor("a")));
            assertEquals(6, journal.cursor("b").sequence());
            assertEquals(List.of("a", "b"), journal.cursorNames());
            // Its consumer may need every record.
            assertEquals(0, Internals.cursors(journal).oldestSequence());
            isFailing = false;
            assertEquals(5, journal.cursor("a").sequence());
            assertEquals(5, Internals.cursors(journal).oldestSequence());
            assertArrayEquals(cursor, crashed.read("cursors/a.cursor"));
            isFailing = true;
        }

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertEquals(5, journal.cursor("a").sequence());
        assertEquals(6, journal.cursor("b").sequence());
    }

    @EachBackend
    void retentionContinuesOnceACursorCanBeRead(final Backend backend) throws Exception
    {
        final List<Throwable> reported = new ArrayList<>();
        final Journal journal = withUnreadableCursor(backend, reported);
        retain(journal);
        assertEquals(1, journal.firstSequence());
        assertEquals(1, reported.size(), reported::toString);
        assertUnreadable((JournalException)reported.get(0));

        isFailing = false;
        model.appendInto(journal, 5, 3000);
        retain(journal);
        assertTrue(journal.firstSequence() > 1);
        assertEquals(1, reported.size(), reported::toString);
    }

    /** A journal with retention and more segments than it keeps, whose cursor cannot be read. */
    private Journal withUnreadableCursor(final Backend backend, final List<Throwable> reported)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 3, 3000);
            journal.cursor("a").save(model.size());
            live.copyTo(crashed.path);
        }
        final Journal journal = closing(model.builder(crashed, backend)
            .store(failing(backend.store(crashed.path), "a.cursor", 0))
            .retention(Retention.bytes(SEGMENT_LENGTH)).errorHandler(reported::add).open());
        model.appendInto(journal, 4, 3000);
        return journal;
    }

    @EachBackend
    void cursorThatIsCorruptOnceItCanBeReadIsReportedAsSuch(final Backend backend) throws Exception
    {
        final List<Throwable> reported = new ArrayList<>();
        final Journal journal = withUnreadableCursor(backend, reported);
        retain(journal);
        assertUnreadable((JournalException)reported.get(0));

        crashed.put("cursors/a.cursor", new byte[5]);
        isFailing = false;
        for (int ordinal = 5; ordinal < 7; ordinal++)
        {
            model.appendInto(journal, ordinal, 3000);
            retain(journal);
        }
        assertEquals(1, journal.firstSequence());
        assertEquals(2, reported.size(), reported::toString);
        assertEquals(CorruptJournalException.class, reported.get(1).getClass());
    }

    @EachBackend
    void backupFailsUntilACursorCanBeRead(final Backend backend) throws IOException
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(8);
        }
        live.copyTo(crashed.path);
        final SegmentStore store = failing(backend.store(crashed.path), "a.cursor", 0);
        final Journal journal = closing(model.builder(crashed, backend).store(store).open());
        final JournalDirectory target = directory("target");

        assertUnreadable(assertThrows(JournalException.class, () -> journal.backup(target.path)));
        assertFalse(Files.exists(target.path));

        isFailing = false;
        assertEquals(10, journal.backup(target.path));
        final Journal copy = closing(open(target, backend));
        assertEquals(8, copy.cursor("a").sequence());
    }

    private static void retain(final Journal journal) throws Exception
    {
        journal.force();
        while (journal.backgroundAgent().doWork() > 0)
        {
            assertTrue(journal.firstSequence() > 0);
        }
    }

    @Test
    void truncationIsNotCompletedWhileACursorCannotBeRead() throws IOException
    {
        try (Journal journal = open(live, Backend.FILE_CHANNEL))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(5);
            live.copyTo(crashed.path);
        }
        final State state = crashed.state();
        final long position = crashed.records(0).get(7).offset();
        crashed.writeState(
            new State(state.generation() + 1, state.epoch() + 1, state.startPosition(), state.startSequence(), true,
                position, crashed.records(0).get(7).sequence(), position + 1000));

        final SegmentStore store = failing(Backend.FILE_CHANNEL.store(crashed.path), "a.cursor", 0);
        final Verdict verdict = verify(crashed.path, store);

        assertTrue(
            verdict.findings().stream().anyMatch((finding) -> Severity.UNREADABLE == finding.severity() &&
                finding.found().contains("a.cursor")),
            verdict::toString);
        // It would miss the truncation and be unusable for good.
        assertUnreadable(
            assertThrows(
                JournalException.class, () -> model.builder(crashed, Backend.FILE_CHANNEL).store(store).open()));
        final Journal journal = closing(open(crashed, Backend.FILE_CHANNEL));
        assertEquals(7, journal.lastSequence());
        assertEquals(5, journal.cursor("a").sequence());
    }

    @EachBackend
    void tornTailIsNotTruncatedWhileACursorCannotBeRead(final Backend backend) throws IOException
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(5);
            journal.appender().append(new byte[100]);
            live.copyTo(crashed.path);
        }
        crashed.flip(segmentName(0), crashed.records(0).get(10).offset() + 40, 1);

        final SegmentStore store = failing(backend.store(crashed.path), "a.cursor", 0);
        assertUnreadable(
            assertThrows(JournalException.class, () -> model.builder(crashed, backend).store(store).open()));
        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertTrue(journal.recoveryReport().tornLength() > 0);
        assertEquals(5, journal.cursor("a").sequence());
    }

    @EachBackend
    void truncateAfterChangesNothingWhileACursorCannotBeRead(final Backend backend) throws IOException
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(8);
        }
        live.copyTo(crashed.path);

        final SegmentStore store = failing(backend.store(crashed.path), "a.cursor", 0);
        final Journal journal = closing(model.builder(crashed, backend).store(store).open());
        assertUnreadable(assertThrows(JournalException.class, () -> journal.truncateAfter(5)));
        model.assertHolds(journal);
        journal.force();

        isFailing = false;
        journal.truncateAfter(5);
        assertEquals(5, journal.lastSequence());
        assertEquals(5, journal.cursor("a").sequence());
    }

    @EachBackend
    void cursorThatWasAheadWhenItCouldNotBeReadStaysUnusable(final Backend backend) throws IOException
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(10);
        }
        final byte[] ahead = live.read("cursors/a.cursor");
        try (Journal journal = open(crashed, backend))
        {
            model.forgetAfter(0);
            model.append(journal, 6, 100);
            journal.cursor("a").save(6);
        }
        crashed.put("cursors/a.cursor", ahead);
        crashed.adopt("cursors/a.cursor", JournalMeta.read(backend.store(crashed.path), true).uuid);

        final SegmentStore store = failing(backend.store(crashed.path), "a.cursor", 0);
        try (Journal journal = model.builder(crashed, backend).store(store).open())
        {
            model.append(journal, 10, 100);
            assertUnreadable(assertThrows(JournalException.class, () -> journal.cursor("a")));
            isFailing = false;
            final JournalException ex = assertThrows(CorruptJournalException.class, () -> journal.cursor("a"));
            assertTrue(ex.getMessage().contains("at most sequence 6"), ex::getMessage);
        }
        // Record 10 is another one now.
        final Journal journal = closing(open(crashed, backend));
        assertThrows(CorruptJournalException.class, () -> journal.cursor("a"));
    }

    @EachBackend
    void cursorThatMissedATruncationAndCouldNotBeReadIsUnusableAfterTheNextOne(final Backend backend) throws IOException
    {
        final byte[] earlier;
        try (Journal journal = open(crashed, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(5);
            earlier = crashed.read("cursors/a.cursor");
            journal.truncateAfter(4);
            appendNumbered(journal, 6, 100);
        }
        crashed.put("cursors/a.cursor", earlier);

        final SegmentStore store = failing(backend.store(crashed.path), "a.cursor", 0);
        final Journal journal = closing(model.builder(crashed, backend).store(store).open());
        isFailing = false;
        journal.truncateAfter(8);
        final JournalException ex = assertThrows(CorruptJournalException.class, () -> journal.cursor("a"));
        assertTrue(ex.getMessage().contains("of another history"), ex::getMessage);
    }

    /** After a failed fsync the page cache may show a slot that the device does not have. */
    @EachBackend
    void cursorThatIsReadAgainAfterACrashIsRewritten(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(5);
            live.copyTo(crashed.path);
        }
        final List<Step> steps = new ArrayList<>();
        final StepStore store = new StepStore(
            backend.store(crashed.path), (step, name) -> !"cursors/a.cursor".equals(name) || steps.add(step));
        final Journal journal =
            closing(model.builder(crashed, backend).store(failing(store, "a.cursor", 0)).open());
        assertEquals(List.of(), steps);

        isFailing = false;
        assertEquals(5, journal.cursor("a").sequence());
        assertEquals(List.of(Step.WRITE, Step.FORCE), steps);
    }

    @EachBackend
    void cursorOfTheNextWriterIsNotTakenForOneThatIsAhead(final Backend backend) throws IOException
    {
        try (Journal journal = open(crashed, backend))
        {
            model.append(journal, 3, 100);
            journal.cursor("a").save(3);
        }
        final SegmentStore store = failing(backend.store(crashed.path), "a.cursor", 0);
        final Journal first = closing(model.builder(crashed, backend).store(store).open());
        Files.delete(crashed.file("journal.lock"));
        try (Journal second = open(crashed, backend))
        {
            model.append(second, 5, 100);
            second.cursor("a").save(8);
        }

        isFailing = false;
        assertThrows(JournalLockedException.class, () -> first.cursor("a"));
        final Journal third = closing(open(crashed, backend));
        assertEquals(8, third.cursor("a").sequence());
    }

    private static void assertUnreadable(final JournalException ex)
    {
        assertEquals(JournalException.class, ex.getClass(), ex::toString);
        assertTrue(ex.getMessage().contains("cursors/a.cursor"), ex::getMessage);
        assertTrue(ex.getMessage().contains("Input/output error"), ex::getMessage);
    }

    /**
     * A store in which a file, or one of that name further down, cannot be read at an offset.
     */
    private SegmentStore failing(final SegmentStore store, final String name, final int failing)
    {
        return proxy(SegmentStore.class, (proxy, method, args) ->
        {
            final Object result = call(store, method, args);
            if ("child".equals(method.getName()))
            {
                return failing((SegmentStore)result, name, failing);
            }
            return "open".equals(method.getName()) && name.equals(args[0]) ?
                failing((SegmentFile)result, failing) : result;
        });
    }

    private SegmentFile failing(final SegmentFile file, final int failing)
    {
        return proxy(SegmentFile.class, (proxy, method, args) ->
        {
            if ("read".equals(method.getName()))
            {
                final long from = (long)args[0];
                if (isFailing && from <= failing && failing < from + ((ByteBuffer)args[1]).remaining())
                {
                    throw new IOException("Input/output error");
                }
            }
            return call(file, method, args);
        });
    }

    private static Object call(final Object target, final Method method, final Object... args) throws Throwable
    {
        try
        {
            return method.invoke(target, args);
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }

    private static <T> T proxy(final Class<T> type, final InvocationHandler handler)
    {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{ type }, handler));
    }
}
