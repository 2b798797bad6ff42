// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.crash;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.RecoveryReport;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.crash.KilledWriter.Word;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Writers in other processes are killed while they append, recover, truncate, prune, save cursors or make backups. Each
 * acknowledged record must be found again, equal, at its sequence, with no gap before it, and a record found once must
 * be found from then on, unless it was truncated: then it must never come back.
 */
@Tag("slow")
class KillTest extends JournalFixture
{
    private static final int[] WINDOWS = { 0, 4096, 64 * 1024 };
    private static final int ROUNDS_OF_A_JOURNAL = 20;
    private static final int ENOUGH_KILLS = 5 * ROUNDS_OF_A_JOURNAL;
    private static final long MAX_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(3);
    // Operations during which a writer may be killed: the word that begins each, and the word that ends it.
    private static final Word[][] CHANGES = {
        { Word.CUTTING, Word.CUT }, { Word.SAVING, Word.SAVED }, { Word.PRUNING, Word.PRUNED },
        { Word.COPYING, Word.COPIED } };

    private SplittableRandom random;
    private Path directory;
    private Promises promises;
    private long era;
    private long rounds;
    private long promised;
    private long cutTails;
    private long rewritten;
    private long killedWhileOpening;
    private final long[] said = new long[Word.values().length];
    private final long[] saidOfThis = new long[Word.values().length];
    private final long[] killedWithin = new long[CHANGES.length];

    @EachBackend
    void acknowledgedDataSurvivesAKilledWriter(final Backend backend) throws Exception
    {
        final long seed = 1 + backend.ordinal();
        begin(seed, "of-" + backend);
        // DIRECT runs half of the rounds, of both kinds, because it shares everything but the writes with FILE_CHANNEL.
        final boolean isDirect = Backend.DIRECT == backend;
        for (int round = isDirect ? 2 : 0; round < (isDirect ? 5 : 6); round++)
        {
            kill(backend, seed + ", round=" + round, round >= 3, 0 == round % 2);
        }
        verify(backend, "seed=" + seed);

        assertTrue(promised > 100, this::counts);
    }

    /**
     * Kills writers on mixed backends. {@code -Djournal.test.kills=5000} sets the number of rounds,
     * {@code -Djournal.test.seed=} another seed.
     */
    @Tag("soak")
    @Test
    void acknowledgedDataSurvivesManyKilledWriters() throws Exception
    {
        final long startNs = System.nanoTime();
        final long seed = Long.getLong("journal.test.seed", System.nanoTime());
        final int kills = Integer.getInteger("journal.test.kills", 300);
        for (int journal = 0; rounds < kills; journal++)
        {
            begin(seed + journal, "journal-" + journal);
            final boolean isChanging = journal % 3 > 0;
            for (int round = 0; round < ROUNDS_OF_A_JOURNAL; round++)
            {
                final Backend backend = UsableBackends.one(random.nextInt(12), temp);
                kill(backend, seed + journal + ", round=" + round, isChanging, random.nextBoolean());
            }
            verify(Backend.MAPPED, "seed=" + (seed + journal));
            deleteTree(directory);
        }

        System.out.printf(
            "kills: seed=%d, %s, seconds=%d%n", seed, counts(), TimeUnit.NANOSECONDS.toSeconds(
                System.nanoTime() - startNs));
        assertTrue(promised > 100L * kills, this::counts);
        for (final Word[] change : CHANGES)
        {
            // With few kills, it may happen that no writer lived long enough to complete such a change.
            assertTrue(kills < ENOUGH_KILLS || said[change[1].ordinal()] > 0, this::counts);
        }
    }

    private void begin(final long seed, final String name)
    {
        random = new SplittableRandom(seed);
        directory = temp.resolve(name);
        promises = new Promises();
        era = (seed & Integer.MAX_VALUE) << Integer.SIZE;
    }

    /**
     * Lets a writer run for a while. Half of the time, the next writer has to recover the files that this writer left.
     */
    private void kill(
        final Backend backend, final String seed, final boolean isChanging, final boolean isVerified) throws Exception
    {
        final int window = WINDOWS[random.nextInt(WINDOWS.length)];
        final boolean isForced = window > 0 || random.nextBoolean();
        final boolean isShared = random.nextInt(3) == 0;
        final int life = random.nextInt(8) == 0 ? -1 : random.nextInt(1 + random.nextInt(3000));
        final Word[] change = isChanging && random.nextBoolean() ? CHANGES[random.nextInt(CHANGES.length)] : null;
        final long delayMs = random.nextInt(700);
        era += 1 << 16;
        promises.nextWriter(era);
        Arrays.fill(saidOfThis, 0);
        final String place = "seed=" + seed + ", backend=" + backend + ", window=" + window + ", forced=" + isForced +
            ", shared=" + isShared + ", changing=" + isChanging + ", life=" + life;
        final Path errors = temp.resolve("errors");
        final Process process = new ProcessBuilder(command(backend, window, isForced, isShared, isChanging))
            .redirectError(errors.toFile())
            .start();
        try (DataInputStream input = new DataInputStream(new BufferedInputStream(process.getInputStream())))
        {
            if (life < 0)
            {
                // Kill the process at some time between its start and its first records.
                process.waitFor(delayMs, TimeUnit.MILLISECONDS);
            }
            else
            {
                live(input, life, change);
            }
            // Process.destroyForcibly() closes the streams and loses the buffered words; the handle's method does not.
            process.toHandle().destroyForcibly();
            while (null != hear(input))
            {
                continue;
            }
        }
        catch (final AssertionError ex)
        {
            process.destroyForcibly().waitFor();
            throw new AssertionError(place, ex);
        }

        assertEquals(137, process.waitFor(), () -> place + ": " + textOf(errors));
        count();
        verifyCopies(place);
        if (isVerified)
        {
            verify(UsableBackends.one(random.nextInt(12), temp), place);
        }
    }

    private List<String> command(
        final Backend backend,
        final int window,
        final boolean isForced,
        final boolean isShared,
        final boolean isChanging)
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xmx128m",
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
            KilledWriter.class.getName(), directory.toString(), backend.name(), Integer.toString(window),
            Long.toString(era), Boolean.toString(isForced), Boolean.toString(isShared)));
        if (isChanging)
        {
            // Retention respects cursors. Without them it would drop unread records.
            final boolean isRetaining = promises.hasCursors() && random.nextBoolean();
            command.addAll(List.of(copies().toString(), Boolean.toString(isRetaining)));
        }
        return command;
    }

    /**
     * Reads messages until a number of records was announced, then until the beginning of a change if one is wanted,
     * and then until some moment during that change.
     */
    private void live(final DataInputStream input, final int life, final Word[] change) throws IOException
    {
        final long enough = promised + life;
        Word word = Word.OPENED;
        while (null != word && (promised < enough || null != change && word != change[0]))
        {
            word = hear(input);
        }
        if (null != change)
        {
            LockSupport.parkNanos(random.nextLong(MAX_DELAY_NS));
        }
    }

    /**
     * @return what was said, or null if it was the end.
     */
    private Word hear(final DataInputStream input) throws IOException
    {
        try
        {
            final Word word = Word.values()[input.readByte()];
            final int detail = input.readByte();
            promised += promises.hear(word, detail, input.readLong());
            said[word.ordinal()]++;
            saidOfThis[word.ordinal()]++;
            if (Word.OPENED == word)
            {
                cutTails += detail & 1;
                rewritten += detail >> 1;
            }
            return word;
        }
        catch (final EOFException ex)
        {
            return null;
        }
    }

    private void count()
    {
        rounds++;
        killedWhileOpening += 0 == saidOfThis[Word.OPENED.ordinal()] ? 1 : 0;
        for (int i = 0; i < CHANGES.length; i++)
        {
            final long open = saidOfThis[CHANGES[i][0].ordinal()] - saidOfThis[CHANGES[i][1].ordinal()] -
                (0 == i ? saidOfThis[Word.UNCUT.ordinal()] : 0);
            killedWithin[i] += open > 0 ? 1 : 0;
        }
    }

    private void verify(final Backend backend, final String place)
    {
        try (Journal journal = KilledWriter.builder(directory, backend).backgroundThread(false).open())
        {
            final RecoveryReport report = journal.recoveryReport();
            cutTails += report.tornLength() > 0 ? 1 : 0;
            rewritten += report.isRewritten() ? 1 : 0;
            assertFalse(report.mayHaveLostAcknowledged(), report::toString);
            promises.assertKept(journal);
        }
        catch (final JournalException | IllegalStateException | AssertionError ex)
        {
            throw new AssertionError(place + ", verified on " + backend, ex);
        }
    }

    /** A completed copy is a journal. An interrupted copy is either a journal or lacks what makes it one. */
    private void verifyCopies(final String place) throws IOException
    {
        for (final int copy : promises.copies())
        {
            final Path path = copies().resolve(Integer.toString(copy));
            if (promises.isCompleted(copy) || Files.exists(path.resolve(JournalFiles.CONTROL)))
            {
                try (Journal journal = KilledWriter.builder(path, Backend.FILE_CHANNEL).backgroundThread(false).open())
                {
                    promises.assertKept(copy, journal);
                }
                catch (final JournalException | IllegalStateException | AssertionError ex)
                {
                    throw new AssertionError(place + ", copy=" + copy, ex);
                }
            }
        }
        deleteTree(copies());
    }

    private Path copies()
    {
        return directory.resolveSibling("copies-of-" + directory.getFileName());
    }

    private String counts()
    {
        return "rounds=" + rounds + ", records promised=" + promised + ", tails cut=" + cutTails + ", rewritten=" +
            rewritten + ", killed while opening=" + killedWhileOpening + "; " +
            Arrays.stream(Word.values()).map((word) -> word + "=" + said[word.ordinal()])
                .collect(Collectors.joining(", ")) +
            "; killed within: cuts=" + killedWithin[0] + ", saves=" + killedWithin[1] + ", prunes=" +
            killedWithin[2] + ", copies=" + killedWithin[3];
    }
}
