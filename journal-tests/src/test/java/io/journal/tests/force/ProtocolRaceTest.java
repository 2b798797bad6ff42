// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.force;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.internal.write.Positions;
import io.journal.store.Backend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Races of two to four threads over the publication of the end and the waiting for fsyncs.
 * {@code -Djournal.race.factor} multiplies the rounds of the long form.
 */
@Tag("slow")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InMemory
class ProtocolRaceTest extends JournalFixture
{
    private static final int FACTOR = Integer.getInteger("journal.race.factor", 50);
    private static final int STEPS = 1000;
    private static final long FORCE_NS = 20_000;
    private static final long SEED = Long.getLong("journal.race.seed", 7);

    private final AtomicInteger journals = new AtomicInteger();
    private Journal journal;
    private long sequence;

    @Test
    void positionAndSequencePairsNeverOverstateDurability() throws Exception
    {
        racePairs(1000);
    }

    @Test
    void appendedWrittenAndDurableEndsStayInOrder() throws Exception
    {
        raceEnds(1000);
    }

    @Test
    void endsOfAJournalInUseStayInOrder() throws Exception
    {
        raceAppending(100);
    }

    @Test
    void leadershipIsHandedOver() throws Exception
    {
        raceHandOver(700);
    }

    @Test
    void timedOutWaiterHandsOverLeadership() throws Exception
    {
        raceGivingUp(700);
    }

    @Test
    void waiterForTheBackgroundAgentIsWoken() throws Exception
    {
        raceBackgroundAgent(1000);
    }

    @Test
    void closeReleasesWaiters() throws Exception
    {
        raceClosing(60);
    }

    @Test
    void claimIsCommittedOrRefusedByClose() throws Exception
    {
        raceClaims(30);
    }

    @Test
    void failureReachesWaiters() throws Exception
    {
        raceFailure(60);
    }

    @Test
    void truncationReachesWaiters() throws Exception
    {
        raceTruncation(100);
    }

    @Tag("soak")
    @Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @Test
    void allRacesForLong() throws Exception
    {
        print("pairs", racePairs(1000 * FACTOR));
        print("ends", raceEnds(1000 * FACTOR));
        print("appending", raceAppending(100 * FACTOR));
        print("handing over", raceHandOver(700 * FACTOR));
        print("giving up", raceGivingUp(700 * FACTOR));
        print("agent", raceBackgroundAgent(1000 * FACTOR));
        print("closing", raceClosing(60 * FACTOR));
        print("claims", raceClaims(30 * FACTOR));
        print("failure", raceFailure(60 * FACTOR));
        print("truncation", raceTruncation(100 * FACTOR));
    }

    private static void print(final String name, final Map<String, Integer> counts)
    {
        System.out.println("race: " + name + " " + counts);
    }

    private Map<String, Integer> racePairs(final int rounds) throws Exception
    {
        final Positions[] positions = new Positions[1];
        final Race race = new Race(
            SEED, 10,
            () ->
            {
                for (int i = 1; i <= STEPS; i++)
                {
                    positions[0].appended(8L * i, i);
                }
                return "";
            },
            () ->
            {
                boolean isBetween = false;
                for (int i = 0; i < STEPS; i++)
                {
                    final long sequence = positions[0].appendedSequence();
                    final long position = positions[0].appendedPosition();
                    if (position < 8 * sequence)
                    {
                        return sequence + " at " + position;
                    }
                    isBetween |= position > 8 * sequence;
                }
                return isBetween ? "some too few" : "equal";
            });
        return race.run(
            rounds, () -> positions[0] = new Positions(false), () -> "", Set.of("|equal|", "|some too few|"));
    }

    private Map<String, Integer> raceEnds(final int rounds) throws Exception
    {
        final Positions[] positions = new Positions[1];
        final Race race = new Race(
            SEED, 10,
            () ->
            {
                for (int i = 1; i <= STEPS; i++)
                {
                    positions[0].appended(8L * i, i);
                    positions[0].written(8L * i, i);
                    positions[0].forced(8L * i, i);
                }
                return "";
            },
            () ->
            {
                boolean isBetween = false;
                for (int i = 0; i < STEPS; i++)
                {
                    final long forced = positions[0].forcedSequence();
                    final long written = positions[0].writtenSequence();
                    final long appended = positions[0].appendedSequence();
                    if (forced > written || written > appended)
                    {
                        return forced + "," + written + "," + appended;
                    }
                    isBetween |= forced > 0 && forced < STEPS;
                }
                return isBetween ? "in order" : "equal";
            });
        return race.run(
            rounds, () -> positions[0] = new Positions(false), () -> "", Set.of("|in order|", "|equal|"));
    }

    private Map<String, Integer> raceAppending(final int rounds) throws Exception
    {
        open(ForcePolicy.manual(), false);
        // The end of each record of a round, once the appending thread has seen it.
        final AtomicLongArray ends = new AtomicLongArray(STEPS);
        final Race race = new Race(
            SEED, 10,
            () ->
            {
                for (int i = 0; i < STEPS; i++)
                {
                    journal.appender().append(new byte[8]);
                    ends.set(i, journal.counters().appendedPosition());
                }
                return "";
            },
            () ->
            {
                for (int i = 0; i < 10; i++)
                {
                    journal.force();
                    final long forced = journal.forcedSequence();
                    final long position = journal.counters().forcedPosition();
                    if (forced > sequence && position < ends.get((int)(forced - sequence) - 1))
                    {
                        return forced + " at " + position;
                    }
                }
                return "";
            },
            () ->
            {
                for (int i = 0; i < STEPS; i++)
                {
                    final long written = journal.writtenSequence();
                    final long appended = journal.lastSequence();
                    if (written > appended)
                    {
                        return written + "," + appended;
                    }
                }
                return "";
            });
        try
        {
            return race.run(
                rounds,
                () ->
                {
                    sequence = journal.lastSequence();
                    for (int i = 0; i < STEPS; i++)
                    {
                        ends.set(i, 0);
                    }
                },
                () -> "", Set.of("|||"));
        }
        finally
        {
            journal.close();
        }
    }

    /** Opens another journal, on a device with slow fsyncs. */
    private void open(final ForcePolicy policy, final boolean isFailing)
    {
        final Path path = temp.resolve(Integer.toString(journals.incrementAndGet()));
        final Backend backend = UsableBackends.one(journals.get(), temp);
        final boolean[] isOpen = new boolean[1];
        journal = builder(path, backend).backgroundThread(false).force(policy).errorHandler((ex) ->
        {
        }).store(new StepStore(backend.store(path), (step, name) ->
        {
            if (isFailing && isOpen[0] && Step.FORCE == step)
            {
                throw new IOException("on purpose");
            }
            if (Step.FORCE == step)
            {
                // Slow enough that other threads arrive during the fsync.
                LockSupport.parkNanos(FORCE_NS);
            }
            return Step.FORCE != step && Step.FORCE_DIRECTORY != step;
        })).open();
        isOpen[0] = true;
    }

    private String awaitForced()
    {
        journal.awaitForced(sequence);
        return journal.forcedSequence() >= sequence ? "forced" : "not forced";
    }

    private String awaitForced(final long timeoutNs)
    {
        return !journal.awaitForced(sequence, Duration.ofNanos(timeoutNs)) ? "late" :
            journal.forcedSequence() >= sequence ? "forced" : "not forced";
    }

    private String endOfRound()
    {
        return journal.forcedSequence() >= sequence ? "done" : "undone";
    }

    private Map<String, Integer> raceHandOver(final int rounds) throws Exception
    {
        open(ForcePolicy.manual(), false);
        final JournalAppender appender = journal.sharedAppender();
        final byte[] record = new byte[20];
        final Race race = new Race(
            SEED, 400,
            this::awaitForced,
            () ->
            {
                // A later record, which the fsync in progress may not cover.
                final long later = appender.append(record);
                journal.awaitForced(later);
                return journal.forcedSequence() >= later ? "forced" : "not forced";
            },
            this::awaitForced,
            () ->
            {
                journal.force();
                return awaitForced();
            });
        try
        {
            return race.run(
                rounds, () -> sequence = appender.append(record), this::endOfRound,
                Set.of("forced|forced|forced|forced|done"));
        }
        finally
        {
            journal.close();
        }
    }

    private Map<String, Integer> raceGivingUp(final int rounds) throws Exception
    {
        open(ForcePolicy.manual(), false);
        final JournalAppender appender = journal.sharedAppender();
        final byte[] record = new byte[20];
        // Timeouts about as long as an fsync takes.
        final AtomicInteger times = new AtomicInteger();
        final Race race = new Race(
            SEED, 400,
            () -> awaitForced(times.incrementAndGet() % 40 * 5_000L),
            () -> awaitForced(times.incrementAndGet() % 30 * 7_000L),
            this::awaitForced,
            this::awaitForced);
        try
        {
            return race.run(
                rounds, () -> sequence = appender.append(record), this::endOfRound,
                Set.of(
                    "forced|forced|forced|forced|done", "late|forced|forced|forced|done",
                    "forced|late|forced|forced|done", "late|late|forced|forced|done"));
        }
        finally
        {
            journal.close();
        }
    }

    private Map<String, Integer> raceBackgroundAgent(final int rounds) throws Exception
    {
        open(ForcePolicy.every(Duration.ZERO), false);
        final JournalAppender appender = journal.sharedAppender();
        final byte[] record = new byte[20];
        final Race race = new Race(
            SEED, 400,
            () ->
            {
                journal.backgroundAgent().doWork();
                return "worked";
            },
            this::awaitForced,
            this::awaitForced,
            () -> awaitForced(Duration.ofDays(1).toNanos()));
        try
        {
            return race.run(
                rounds, () -> sequence = appender.append(record), this::endOfRound,
                Set.of("worked|forced|forced|forced|done"));
        }
        finally
        {
            journal.close();
        }
    }

    private static String appendOrBeTold(final JournalAppender appender)
    {
        try
        {
            appender.append(new byte[10]);
            return "acknowledged";
        }
        catch (final IllegalStateException ex)
        {
            assertClosed(() ->
            {
                throw ex;
            });
            return "closed";
        }
    }

    /** Reopens the journal, which fails if anything was not released, and reads it. */
    private String reopened()
    {
        try (Journal reopened = Journal.open(journal.path()))
        {
            assertEquals(reopened.lastSequence(), readAll(reopened).size());
            return Long.toString(reopened.lastSequence());
        }
        finally
        {
            // Delete the files of each round, because there are many rounds.
            new JournalDirectory(journal.path()).restore(Map.of());
        }
    }

    private Map<String, Integer> raceClosing(final int rounds) throws Exception
    {
        final Race race = new Race(
            SEED, 2000,
            () -> appendOrBeTold(journal.sharedAppender()),
            this::awaitForced,
            () ->
            {
                journal.backgroundAgent().doWork();
                return "worked";
            },
            () ->
            {
                journal.close();
                return journal.forcedSequence() == journal.lastSequence() ? "closed" : "closed too early";
            });
        final ForcePolicy[] policies =
            { ForcePolicy.everyRecord(), ForcePolicy.manual(), ForcePolicy.every(Duration.ZERO) };
        return race.run(
            rounds,
            () ->
            {
                open(policies[journals.get() % policies.length], false);
                sequence = journal.sharedAppender().append(new RecordBatch().add(new byte[10]));
            },
            this::reopened,
            Set.of("acknowledged|forced|worked|closed|2", "closed|forced|worked|closed|1"));
    }

    private Map<String, Integer> raceClaims(final int rounds) throws Exception
    {
        final Race race = new Race(
            SEED, 2000,
            () ->
            {
                try (RecordClaim claim = journal.appender().claim(100))
                {
                    claim.buffer().setMemory(0, 100, (byte)1);
                    claim.commit();
                    return "committed";
                }
                catch (final IllegalStateException ex)
                {
                    assertClosed(() ->
                    {
                        throw ex;
                    });
                    return "closed";
                }
            },
            () ->
            {
                journal.close();
                return "closed";
            },
            this::awaitForced);
        return race.run(
            rounds,
            () ->
            {
                open(ForcePolicy.manual(), false);
                sequence = journal.appender().append(new byte[10]);
            },
            this::reopened,
            Set.of("committed|closed|forced|2", "closed|closed|forced|1"));
    }

    private Map<String, Integer> raceFailure(final int rounds) throws Exception
    {
        final Race race = new Race(
            SEED, 1000,
            () -> orFailed(this::awaitForced),
            () -> orFailed(() -> awaitForced(1000)),
            () -> orFailed(this::awaitForced),
            () -> orFailed(() ->
            {
                journal.backgroundAgent().doWork();
                journal.force();
                return "forced";
            }));
        final ForcePolicy[] policies = { ForcePolicy.manual(), ForcePolicy.every(Duration.ZERO) };
        return race.run(
            rounds,
            () ->
            {
                open(policies[journals.get() % policies.length], true);
                sequence = journal.sharedAppender().append(new byte[10]);
            },
            () ->
            {
                assertEquals(0, journal.forcedSequence());
                assertThrows(JournalException.class, journal::close);
                return reopened();
            },
            Set.of("failed|failed|failed|failed|1", "failed|late|failed|failed|1"));
    }

    private static String orFailed(final Race.Actor actor) throws Exception
    {
        try
        {
            return actor.act();
        }
        catch (final JournalException ex)
        {
            return "failed";
        }
    }

    private Map<String, Integer> raceTruncation(final int rounds) throws Exception
    {
        open(ForcePolicy.manual(), false);
        final JournalAppender appender = journal.sharedAppender();
        appender.append(new byte[10]);
        final AtomicInteger count = new AtomicInteger();
        final Race race = new Race(
            SEED, 3000,
            () ->
            {
                journal.truncateAfter(sequence - 1);
                return "cut";
            },
            () ->
            {
                try
                {
                    journal.awaitForced(sequence);
                    return "answered";
                }
                catch (final IllegalArgumentException | IllegalStateException ex)
                {
                    // The record was truncated before the call or while it waited.
                    return "answered";
                }
            },
            () ->
            {
                journal.awaitForced(sequence - 1);
                return journal.forcedSequence() >= sequence - 1 ? "forced" : "not forced";
            });
        try
        {
            return race.run(
                rounds,
                () ->
                {
                    appender.append(new byte[10]);
                    if (count.incrementAndGet() % 1000 == 0)
                    {
                        // Each round leaves a cut, and the state has room for only so many.
                        journal.roll();
                        appender.append(new byte[10]);
                        journal.prune(journal.lastSequence());
                    }
                    sequence = appender.append(new byte[10]);
                },
                () -> journal.lastSequence() == sequence - 1 ? "done" : "undone",
                Set.of("cut|answered|forced|done"));
        }
        finally
        {
            journal.close();
        }
    }

    @Test
    void illegalOutcomesAreDetected() throws Exception
    {
        final AtomicInteger turns = new AtomicInteger();
        final Race race = new Race(SEED, 10, () -> 50 == turns.incrementAndGet() ? "bad" : "good", () -> "good");
        String message = "";
        try
        {
            race.run(100, turns::get, () -> "end", Set.of("good|good|end"));
        }
        catch (final AssertionError ex)
        {
            message = ex.getMessage();
        }
        assertTrue(message.contains("illegal: bad|good|end"), message);
        assertTrue(Arrays.asList(message.split("[{}, ]+")).contains("good|good|end=49"), message);
    }
}
