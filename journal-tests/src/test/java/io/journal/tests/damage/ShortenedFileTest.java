// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.function.Executable;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A file is truncated by another process while the journal is open. Each case runs in a process of its own, which a
 * fault may end.
 */
@Tag("slow")
class ShortenedFileTest extends JournalFixture
{
    // Enough calls that the JIT compiler has compiled them.
    private static final int FORCES = 20_000;
    private static final int FORCES_ASKED = 100;

    // In the process that has the journal: returns whether the next force is to be made.
    private static BooleanSupplier beforeForce;

    /** Uses the journal whose file was truncated, and prints the outcome. */
    private enum Use
    {
        POLL((journal, directory, model) ->
        {
            final List<Entry> found = new ArrayList<>();
            try (JournalReader reader = journal.openReader())
            {
                reader.poll((buffer, offset, length, header) -> found.add(model.entry(1)), 1);
                directory.cut(segmentName(0), 10_000);
                directory.cut(segmentName(1), 10_000);
                // Records already in memory may still be read, and must then be right.
                expect(CorruptJournalException.class, () -> readOn(reader, found));
                expect(CorruptJournalException.class, () -> readOn(reader, found));
                assertTrue(found.size() < model.size());
                model.assertHolds(found, found.size());
            }
        }),

        SEEK((journal, directory, model) ->
        {
            try (JournalReader reader = journal.openReader())
            {
                readOne(reader);
                directory.cut(segmentName(0), 10_000);
                directory.cut(segmentName(1), 10_000);
                // Records already in memory may still be found and read, and must then be right.
                final List<Entry> found = new ArrayList<>();
                expect(CorruptJournalException.class, () ->
                {
                    reader.seek(10);
                    readOn(reader, found);
                });
                found.forEach((entry) -> assertArrayEquals(model.entry(entry.sequence()).bytes(), entry.bytes()));
                directory.cut(segmentName(0), 0);
                expect(CorruptJournalException.class, reader::seekToStart);
                expect(CorruptJournalException.class, () -> journal.openReader().close());
            }
        }),

        HANDLER((journal, directory, model) ->
        {
            try (JournalReader reader = journal.openReader())
            {
                reader.seek(5);
                final RecordHandler handler = (buffer, offset, length, header) ->
                {
                    directory.cut(segmentName(0), 4096);
                    // Buffered records can still be read. With a mapping, the caller must not see an InternalError.
                    buffer.getByte(offset + length - 1);
                    throw new IllegalStateException("still there");
                };
                final RuntimeException ex = assertThrows(RuntimeException.class, () -> reader.poll(handler, 1));
                assertTrue(
                    ex instanceof CorruptJournalException || "still there".equals(ex.getMessage()), ex::toString);
                assertEquals(5, reader.nextSequence());
            }
        }),

        FORCE((journal, directory, model) ->
        {
            journal.appender().append(new byte[100]);
            directory.cut(segmentName(2), 5000);
            expect(JournalException.class, journal::force);
            expect(JournalException.class, journal::force);
            expect(JournalException.class, () -> journal.awaitForced(journal.lastSequence()));
            expect(JournalException.class, () -> journal.appender().append(new byte[100]));
        }),

        FORCE_OF_AN_OLDER_SEGMENT((journal, directory, model) ->
        {
            final long ordinal = directory.newest();
            while (journal.counters().appendedPosition() < (ordinal + 1) * SEGMENT_LENGTH + FIRST_OFFSET + 100)
            {
                journal.appender().append(new byte[2000]);
            }
            directory.cut(segmentName(ordinal), 5000);
            expect(JournalException.class, journal::force);
            expect(JournalException.class, () -> journal.awaitForced(journal.lastSequence()));
        }),

        APPEND((journal, directory, model) ->
        {
            directory.cut(segmentName(2), 5000);
            expect(JournalException.class, () ->
            {
                // Backends that write to the file extend it again, with a hole, which the next fsync reports.
                for (int i = 0; i < 20; i++)
                {
                    journal.appender().append(new byte[300]);
                }
                journal.force();
            });
            expect(JournalException.class, () -> journal.appender().append(new byte[100]));
            expect(JournalException.class, journal::force);
        }),

        COMMIT((journal, directory, model) ->
        {
            final RecordClaim claim = journal.appender().claim(100);
            directory.cut(segmentName(2), 4096);
            expect(JournalException.class, () ->
            {
                claim.commit();
                journal.force();
            });
            expect(JournalException.class, () -> journal.awaitForced(journal.lastSequence()));
            expect(JournalException.class, () -> journal.appender().append(new byte[100]));
            expect(JournalException.class, journal::force);
        }),

        ROLL((journal, directory, model) ->
        {
            journal.appender().append(new byte[100]);
            directory.cut(segmentName(2), 4096);
            expect(JournalException.class, () ->
            {
                journal.roll();
                journal.force();
            });
            expect(JournalException.class, journal::force);
        }),

        TRUNCATE((journal, directory, model) ->
        {
            directory.cut(segmentName(0), 4096);
            expect(JournalException.class, () -> journal.truncateAfter(5));
        }),

        BATCH((journal, directory, model) ->
        {
            directory.cut(segmentName(2), 4096);
            expect(JournalException.class, () ->
            {
                journal.appender().append(new RecordBatch().add(new byte[100]).add(new byte[100]));
                journal.force();
            });
            expect(JournalException.class, () -> journal.appender().append(new byte[100]));
            expect(JournalException.class, journal::force);
        }),

        CONTROL_FILE((journal, directory, model) ->
        {
            journal.appender().append(new byte[100]);
            directory.cut("journal.control", 4096);
            // The background agent does not store the durable watermark; an fsync does.
            journal.backgroundAgent().doWork();
            assertTrue(journal.counters().appendedSequence() > 0);
            expect(JournalException.class, journal::force);
            expect(JournalException.class, () -> journal.awaitForced(journal.lastSequence()));
            expect(JournalException.class, () -> journal.appender().append(new byte[100]));
        }),

        CONTROL_FILE_WITHIN_A_FORCE((journal, directory, model) -> cutWithinForce(journal, directory, 0)),
        CONTROL_FILE_WITHIN_A_FORCE_THAT_IS_COMPILED(
            (journal, directory, model) -> cutWithinForce(journal, directory, FORCES)),
        APPEND_LARGE((journal, directory, model) ->
        {
            directory.cut(segmentName(2), 5000);
            expect(JournalException.class, () ->
            {
                for (int i = 0; i < 10; i++)
                {
                    journal.appender().append(new byte[20_000]);
                }
                journal.force();
            });
            expect(JournalException.class, journal::force);
        }),

        BACKGROUND_AGENT((journal, directory, model) ->
        {
            final long ordinal = directory.newest();
            while (journal.counters().appendedPosition() < (ordinal + 1) * SEGMENT_LENGTH + FIRST_OFFSET + 100)
            {
                journal.appender().append(new byte[2000]);
            }
            directory.cut(segmentName(ordinal), 5000);
            for (int i = 0; i < 5; i++)
            {
                journal.backgroundAgent().doWork();
            }
            expect(JournalException.class, () -> journal.awaitForced(journal.lastSequence()));
        });

        @FunctionalInterface
        private interface Action
        {
            void run(Journal journal, JournalDirectory directory, RecordModel model) throws Exception;
        }

        final Action action;

        Use(final Action action)
        {
            this.action = action;
        }

        private static void readOne(final JournalReader reader)
        {
            reader.poll((buffer, offset, length, header) -> assertEquals(1, header.sequence()), 1);
        }

        private static void cutWithinForce(
            final Journal journal, final JournalDirectory directory, final int forcesBefore)
        {
            final Thread forcing = Thread.currentThread();
            final Thread asking = new Thread(() ->
            {
                // The fault of a store surfaces at the next safepoint poll of the JVM.
                while (!Thread.interrupted())
                {
                    forcing.getStackTrace();
                }
            });
            asking.setDaemon(true);
            final int[] forces = new int[1];
            beforeForce = () ->
            {
                if (forces[0] == Math.max(0, forcesBefore - FORCES_ASKED))
                {
                    asking.start();
                }
                if (forces[0]++ == forcesBefore)
                {
                    directory.cut("journal.control", 0);
                }
                // Do not fsync: it takes time and makes no difference here.
                return false;
            };
            expect(JournalException.class, () ->
            {
                while (true)
                {
                    journal.appender().append(new byte[100]);
                    journal.force();
                }
            });
            asking.interrupt();
            assertEquals(forcesBefore + 1, forces[0]);
        }

        private static void expect(final Class<? extends Throwable> type, final Executable executable)
        {
            assertThrows(type, executable);
        }
    }

    /**
     * Runs one process for each backend, which prints the current use. Mapped segments are tested without the uses that
     * append: an append into the truncated part ends the process, as {@code docs/durability.md} says.
     */
    @EachBackend
    void shortenedFileIsReported(final Backend backend) throws Exception
    {
        final EnumSet<Use> uses = EnumSet.allOf(Use.class);
        if (Backend.MAPPED == backend)
        {
            uses.removeAll(EnumSet.of(Use.APPEND, Use.APPEND_LARGE, Use.BATCH, Use.COMMIT, Use.ROLL));
        }
        assertTyped(backend, uses);
    }

    private void assertTyped(final Backend backend, final Set<Use> uses) throws Exception
    {
        final Path output = temp.resolve("output");
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xmx128m",
            "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + temp.resolve("crash"), "-cp",
            System.getProperty("java.class.path"), ShortenedFileTest.class.getName(), temp.toString(),
            backend.name()));
        for (final Use use : uses)
        {
            command.add(use.name());
        }
        final Process process = new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
        assertEquals(0, process.waitFor(), () -> backend + ": " + textOf(output));
    }

    /**
     * Makes journals of three segments, does one thing with each, and closes it.
     *
     * @param args directory, backend, uses.
     */
    public static void main(final String[] args) throws Exception
    {
        for (final String use : List.of(args).subList(2, args.length))
        {
            System.out.println(use);
            run(new JournalDirectory(Path.of(args[0], use)), Backend.valueOf(args[1]), Use.valueOf(use));
        }
    }

    private static void run(final JournalDirectory directory, final Backend backend, final Use use) throws Exception
    {
        final RecordModel model = new RecordModel();
        beforeForce = () -> true;
        final StepStore store = new StepStore(
            backend.store(directory.path), (step, name) -> Step.FORCE != step || beforeForce.getAsBoolean());
        final Journal journal = model.builder(directory, backend).store(store).open();
        model.appendInto(journal, 2, 3000);
        journal.force();
        use.action.run(journal, directory, model);
        try
        {
            journal.close();
        }
        catch (final JournalException ex)
        {
            assertTrue(journal.isClosed());
        }
        assertTrue(journal.isClosed());
        assertUnlocked(model.builder(directory, backend));
    }

    /** The damage may prevent the journal from being opened; the lock of the closed journal does not. */
    private static void assertUnlocked(final JournalBuilder builder)
    {
        try
        {
            builder.open().close();
        }
        catch (final JournalException ex)
        {
            assertFalse(ex instanceof JournalLockedException, ex::toString);
        }
    }
}
