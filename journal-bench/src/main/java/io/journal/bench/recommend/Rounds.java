package io.journal.bench.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Child;
import io.journal.bench.run.Progress;
import io.journal.bench.run.TempDirectory;

/**
 * Runs rounds: each has every case once, in an order of its own, so that a disturbance meets all of them sooner or
 * later, and a comparison within a round is one of neighbours.
 */
final class Rounds implements AutoCloseable
{
    private final Path directory;
    private final List<Case> cases;
    private final Plan plan;
    private final Random random;
    private final long seconds;
    private final int mostRounds;
    private volatile Child child;
    private volatile boolean isStopped;
    private long bytes;

    /**
     * @param seconds    after which no round ends but the first.
     * @param mostRounds to be made.
     */
    Rounds(
        final Path directory,
        final List<Case> cases,
        final Plan plan,
        final long seed,
        final long seconds,
        final int mostRounds)
    {
        this.directory = directory;
        this.cases = cases;
        this.plan = plan;
        this.random = new Random(seed);
        this.seconds = seconds;
        this.mostRounds = mostRounds;
    }

    Measurements run(final Progress progress) throws IOException, InterruptedException
    {
        final Measurements measurements = new Measurements(cases);
        final long start = System.nanoTime();
        for (int round = 0; round < mostRounds && !isStopped && isTimeForOne(round, start); round++)
        {
            final List<Case> order = new ArrayList<>(cases);
            Collections.shuffle(order, random);
            for (final Case each : order)
            {
                progress.next("round " + (round + 1) + ": " + each.label());
                measurements.add(each, measure(each));
                progress.step();
            }
            progress.round(String.format(
                Locale.ROOT, "round %d of at most %d done after %.0f s",
                round + 1, mostRounds, (System.nanoTime() - start) / 1e9));
        }

        return measurements;
    }

    /**
     * Trials at most.
     */
    int trialCount()
    {
        return cases.size() * mostRounds;
    }

    /**
     * Bytes of journals that were written.
     */
    long bytes()
    {
        return bytes;
    }

    /**
     * Ends what runs, from any thread.
     */
    @Override
    public void close()
    {
        isStopped = true;
        final Child child = this.child;
        if (null != child)
        {
            child.close();
        }
    }

    private boolean isTimeForOne(final int round, final long start)
    {
        final long elapsedNs = System.nanoTime() - start;
        return 0 == round || elapsedNs + elapsedNs / round <= TimeUnit.SECONDS.toNanos(seconds);
    }

    private Map<String, String> await(final Child child) throws IOException, InterruptedException
    {
        try
        {
            return child.await();
        }
        catch (final IOException | IllegalStateException ex)
        {
            if (isStopped)
            {
                throw new CancellationException("stopped");
            }
            throw ex;
        }
    }

    private Map<Figure, Double> measure(final Case measured) throws IOException, InterruptedException
    {
        final Path trial = Files.createDirectory(directory.resolve("trial"));
        try (Child child = Child.start(
            Trial.class, Trial.arguments(measured, plan, trial), directory.resolve("errors")))
        {
            this.child = child;
            if (isStopped)
            {
                throw new CancellationException("stopped");
            }

            final Map<String, String> found = await(child);
            bytes += Long.parseLong(found.get(Trial.BYTES));
            final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
            for (final Figure figure : Figure.values())
            {
                figures.put(figure, Double.valueOf(found.get(figure.name())));
            }
            return figures;
        }
        finally
        {
            TempDirectory.delete(trial);
        }
    }
}
