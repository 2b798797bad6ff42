package io.journal;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import io.journal.store.Backend;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Writers in other processes are killed while they append or recover. Each record they were promised must be found
 * again, equal, in its place, with no gap before it; and what was found once must be found for ever.
 */
class KillTest
{
    private static final int[] WINDOWS = { 0, 4096, 64 * 1024 };

    @TempDir
    private Path temp;

    private SplittableRandom random;
    private Path directory;
    // Seeds of the writers whose records were found, by sequence.
    private final List<Long> found = new ArrayList<>();
    private long promised;
    private long rounds;
    private long promises;
    private long cutTails;
    private long rewritten;
    private long killedWhileOpening;

    @ParameterizedTest
    @EnumSource(Backend.class)
    void promisedRecordsSurviveTheDeathOfTheirWriter(final Backend backend) throws Exception
    {
        final long seed = 1 + backend.ordinal();
        begin(seed, "of-" + backend);
        for (int round = 0; round < 6; round++)
        {
            kill(backend, seed + ", round=" + round, 0 == round % 2);
        }
        verify(backend, "seed=" + seed);

        assertTrue(promises > 100, this::counts);
    }

    @Tag("soak")
    @Test
    void promisedRecordsSurviveManyDeathsOnMixedBackends() throws Exception
    {
        final long start = System.nanoTime();
        final long seed = Long.getLong("journal.test.seed", System.nanoTime());
        final int lives = 15;
        for (int life = 0; life < lives; life++)
        {
            begin(seed + life, "life-" + life);
            for (int round = 0; round < 20; round++)
            {
                final Backend backend = Backend.values()[random.nextInt(Backend.values().length)];
                kill(backend, (seed + life) + ", round=" + round, random.nextBoolean());
            }
            verify(Backend.MAPPED, "seed=" + (seed + life));
        }

        System.out.printf(
            "kills: seed=%d, %s, seconds=%d%n", seed, counts(), (System.nanoTime() - start) / 1_000_000_000);
        assertTrue(rounds >= 200, this::counts);
        assertTrue(promises > 100_000, this::counts);
    }

    private void begin(final long seed, final String name)
    {
        random = new SplittableRandom(seed);
        directory = temp.resolve(name);
        found.clear();
        promised = 0;
    }

    /**
     * Lets a writer live for a while. Half of the time the next one has to recover what this one left.
     */
    private void kill(final Backend backend, final String seed, final boolean isVerified) throws Exception
    {
        final int window = WINDOWS[random.nextInt(WINDOWS.length)];
        final boolean isForced = window > 0 || random.nextBoolean();
        final long writerSeed = random.nextLong();
        final boolean isShared = random.nextInt(3) == 0;
        final int life = random.nextInt(8) == 0 ? -1 : random.nextInt(3000);
        final long delayMs = random.nextInt(700);
        final String place = "seed=" + seed + ", backend=" + backend + ", window=" + window + ", forced=" + isForced +
            ", shared=" + isShared + ", life=" + life;
        final Path errors = temp.resolve("errors");
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), KilledWriter.class.getName(),
            directory.toString(), backend.name(), Integer.toString(window), Long.toString(writerSeed),
            Boolean.toString(isForced), Boolean.toString(isShared)).redirectError(errors.toFile()).start();
        long heard = -1;
        try (DataInputStream input = new DataInputStream(new BufferedInputStream(process.getInputStream())))
        {
            if (life < 0)
            {
                // Somewhere between its birth and its first records.
                process.waitFor(delayMs, TimeUnit.MILLISECONDS);
            }
            else
            {
                heard = listen(input, life);
            }
            // The process would close its streams, with the promises that are still in them.
            process.toHandle().destroyForcibly();
            heard += listen(input, Long.MAX_VALUE);
        }

        assertEquals(137, process.waitFor(), () -> place + ": " + read(errors));
        rounds++;
        killedWhileOpening += heard < 0 ? 1 : 0;
        promises += Math.max(0, heard);
        if (isVerified)
        {
            verify(Backend.values()[random.nextInt(Backend.values().length)], place);
        }
    }

    /**
     * @return how much was heard, the word that the journal was opened included.
     */
    private long listen(final DataInputStream input, final long limit) throws IOException
    {
        long count = 0;
        try
        {
            while (count < limit)
            {
                promised = Math.max(promised, input.readLong());
                count++;
            }
        }
        catch (final EOFException ex)
        {
            assert count < limit : ex;
        }

        return count;
    }

    private void verify(final Backend backend, final String place)
    {
        try (Journal journal = KilledWriter.builder(directory, backend).companionThread(false).open();
            JournalReader reader = journal.openReader())
        {
            final RecoveryReport report = journal.recoveryReport();
            cutTails += report.cutLength() > 0 ? 1 : 0;
            rewritten += report.isRewritten() ? 1 : 0;
            assertTrue(report.isAcknowledgementKnown(), place);
            final List<Long> again = new ArrayList<>();
            final int[] following = new int[1];
            while (reader.poll((buffer, offset, length, header) ->
            {
                assertEquals(again.size() + 1, header.sequence(), place);
                again.add(KilledWriter.check(buffer, offset, length, header.sequence()));
                assertEquals(header.tag(), again.get(again.size() - 1), place);
                // All records of a batch or none: each but its last is followed by the next.
                final int left = KilledWriter.following(buffer, offset);
                assertTrue(0 == following[0] || left == following[0] - 1, place);
                following[0] = left;
            }, 1000) > 0)
            {
                assertTrue(again.size() <= journal.lastSequence(), place);
            }
            assertEquals(0, following[0], place);
            assertEquals(journal.lastSequence(), again.size(), place);
            assertTrue(again.size() >= promised, () -> place + ", promised=" + promised + ", " + journal);
            assertTrue(again.size() >= found.size(), () -> place + ", found before=" + found.size() + ", " + journal);
            assertEquals(found, again.subList(0, found.size()), place);
            found.clear();
            found.addAll(again);
        }
        catch (final JournalException | IllegalStateException ex)
        {
            throw new AssertionError(place, ex);
        }
    }

    private String counts()
    {
        return "rounds=" + rounds + ", records promised=" + promises + ", tails cut=" + cutTails + ", rewritten=" +
            rewritten + ", killed while opening=" + killedWhileOpening;
    }

    private static String read(final Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (final IOException ex)
        {
            return ex.toString();
        }
    }
}
