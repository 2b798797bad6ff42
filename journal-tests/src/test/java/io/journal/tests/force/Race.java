// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.force;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.journal.tests.support.JournalFixture.Background;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A race of a few threads, run many times and counted by outcome. Each thread starts with a random delay, so that all
 * orders occur. Outcomes that are not listed as legal fail.
 */
final class Race
{
    private static final long HANG_NS = TimeUnit.MINUTES.toNanos(10);
    private static final int SPINS = 1000;
    private static final int END = -1;

    private final Actor[] actors;
    private final String[] outcomes;
    private final Map<String, Integer> counts = new TreeMap<>();
    private final AtomicInteger ready = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private final SplittableRandom random;
    private final int maxDelay;
    private volatile int round;

    /** The work of one thread in a round. */
    interface Actor
    {
        /**
         * @return how it came out.
         */
        String act() throws Exception;
    }

    /** Work before or after the race, by one thread. */
    interface Step
    {
        void run() throws Exception;
    }

    /** Evaluates a finished round. */
    interface End
    {
        String outcome() throws Exception;
    }

    /**
     * @param maxDelay longest time a thread may be behind another, in turns of a loop.
     */
    Race(final long seed, final int maxDelay, final Actor... actors)
    {
        this.actors = actors.clone();
        this.maxDelay = maxDelay;
        outcomes = new String[actors.length];
        random = new SplittableRandom(seed);
    }

    /**
     * Runs the race.
     *
     * @param begin comes before each round.
     * @param end   comes behind it.
     * @param legal legal outcomes: those of each thread and of the end, joined by bars.
     * @return how often it came out in which way.
     */
    Map<String, Integer> run(final int rounds, final Step begin, final End end, final Set<String> legal)
        throws Exception
    {
        final ArrayList<Background> threads = new ArrayList<>();
        for (int i = 0; i < actors.length; i++)
        {
            final int index = i;
            final SplittableRandom delays = random.split();
            threads.add(Background.start("racing-" + i, () -> act(index, delays)));
        }
        try
        {
            for (int i = 1; i <= rounds; i++)
            {
                begin.run();
                done.set(0);
                ready.set(0);
                round = i;
                awaitRound(threads);
                final String outcome = String.join("|", outcomes) + "|" + end.outcome();
                counts.merge(outcome, 1, Integer::sum);
                assertTrue(legal.contains(outcome), () -> "illegal: " + outcome + " among " + counts);
            }
        }
        finally
        {
            round = END;
        }
        threads.forEach(Background::join);

        return counts;
    }

    private void awaitRound(final Iterable<Background> threads)
    {
        final long start = System.nanoTime();
        while (done.get() < actors.length)
        {
            if (System.nanoTime() - start > HANG_NS)
            {
                final StringBuilder builder = new StringBuilder("a thread hangs: " + Arrays.toString(outcomes));
                threads.forEach((background) -> builder.append('\n').append(background.thread()).append(
                    Arrays.toString(background.thread().getStackTrace())));
                throw new AssertionError(builder.toString());
            }
            Thread.yield();
        }
    }

    private void act(final int index, final SplittableRandom delays)
    {
        int last = 0;
        while (true)
        {
            final int before = last;
            spinUntil(() -> before != round);
            if (END == round)
            {
                return;
            }

            last = round;
            outcomes[index] = "not yet";
            // Release the threads together, as far as there are processors for them.
            ready.incrementAndGet();
            spinUntil(() -> ready.get() >= actors.length);
            for (int i = delays.nextInt(maxDelay + 1); i > 0; i--)
            {
                Thread.onSpinWait();
            }
            outcomes[index] = outcome(actors[index]);
            done.incrementAndGet();
        }
    }

    private static void spinUntil(final BooleanSupplier condition)
    {
        for (int spins = 0; !condition.getAsBoolean(); spins++)
        {
            if (spins > SPINS)
            {
                Thread.yield();
            }
        }
    }

    private static String outcome(final Actor actor)
    {
        try
        {
            return actor.act();
        }
        catch (final Throwable ex)
        {
            final StackTraceElement[] trace = ex.getStackTrace();
            return "threw " + ex + " at " + Arrays.toString(Arrays.copyOf(trace, Math.min(8, trace.length)));
        }
    }
}
