// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordBatch;
import io.journal.RecordHandler;
import io.journal.internal.read.RecordsGoneException;
import io.journal.store.Backend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.UsableBackends;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Readers of the writer's process and of a follower, compared with a model while records are appended, truncated and
 * pruned, segments roll and the journal is opened again. A failure prints the seed, which {@code -Dreader.model.seed}
 * repeats.
 */
class ReaderModelTest extends JournalFixture
{
    private static final String SEED = "reader.model.seed";

    static LongStream someSeeds()
    {
        return seeds(LongStream.rangeClosed(1, 24));
    }

    static LongStream manySeeds()
    {
        final long first = System.currentTimeMillis();
        return seeds(LongStream.range(first, first + 3_000));
    }

    private static LongStream seeds(final LongStream seeds)
    {
        final Long only = Long.getLong(SEED);
        return null == only ? seeds : LongStream.of(only);
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("someSeeds")
    void readersPassWhatTheModelHolds(final long seed)
    {
        run(seed);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("manySeeds")
    void readersPassWhatTheModelHoldsForLong(final long seed)
    {
        run(seed);
    }

    private void run(final long seed)
    {
        final Run run = new Run(seed, temp.resolve("journal-" + seed), UsableBackends.one(seed, temp));
        try
        {
            for (int i = 0; i < 300; i++)
            {
                run.step();
            }
        }
        catch (final Throwable ex)
        {
            throw new AssertionError("again with -D" + SEED + "=" + seed + ": " + run + "; " + ex, ex);
        }
        finally
        {
            run.close();
        }
    }

    /** A record as it was appended. */
    private record Appended(byte[] bytes, long timeMs)
    {
    }

    /** A reader, and its expected place. */
    private static final class Modelled
    {
        final boolean isFollowing;
        JournalReader reader;
        long next;
        // Whether a record that it has read, or has to read next, is gone.
        boolean isLost;
        // Whether a cut was made since its last use, and whether the journal may have forgotten that cut.
        boolean isOutdated;
        boolean isVague;

        Modelled(final boolean isFollowing)
        {
            this.isFollowing = isFollowing;
        }
    }

    /** Exception thrown by a handler. */
    private static final class Thrown extends RuntimeException
    {
        private static final long serialVersionUID = 1;
    }

    private static final class Run
    {
        private final Random random;
        private final Path path;
        private final Backend backend;
        private final JournalReader.Verification verification;
        private final boolean isRecycling;
        private final List<Modelled> readers =
            List.of(new Modelled(false), new Modelled(false), new Modelled(true), new Modelled(true));
        private final NavigableMap<Long, Appended> records = new TreeMap<>();
        private final List<String> steps = new ArrayList<>();
        private Journal journal;
        private final ReadOnlyJournal follower;
        private long nowMs = TIME_MS;
        private long first = 1;
        private long next = 1;

        Run(final long seed, final Path path, final Backend backend)
        {
            random = new Random(seed);
            this.path = path;
            this.backend = backend;
            verification = JournalReader.Verification.values()[random.nextInt(3)];
            isRecycling = random.nextBoolean();
            open();
            follower = Journal.openReadOnly(path);
            readers.forEach(this::begin);
        }

        private void open()
        {
            journal = Journal.builder(path).segmentLength(SEGMENT_LENGTH).backend(backend).verification(verification)
                .recycleSegments(isRecycling).clock(() -> nowMs).backgroundThread(false).open();
        }

        private void begin(final Modelled modelled)
        {
            modelled.reader = modelled.isFollowing ? follower.openReader() : journal.openReader();
            modelled.next = first;
            modelled.isLost = false;
        }

        void close()
        {
            readers.forEach((modelled) -> modelled.reader.close());
            follower.close();
            journal.close();
        }

        void step()
        {
            final int step = random.nextInt(100);
            if (step < 25)
            {
                appendSome();
            }
            else if (step < 42)
            {
                appendBatch();
            }
            else if (step < 47)
            {
                truncate();
            }
            else if (step < 51)
            {
                prune();
            }
            else if (step < 54)
            {
                steps.add("roll");
                journal.roll();
            }
            else if (step < 57)
            {
                reopen();
            }
            else if (step < 90)
            {
                use(readers.get(random.nextInt(readers.size())));
            }
            else if (first < next)
            {
                lookUp(first + random.nextInt((int)(next - first)));
            }
        }

        private void appendSome()
        {
            final int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++)
            {
                nowMs += 0 == random.nextInt(5) ? random.nextInt(3000) : 0;
                final byte[] bytes = bytes(length());
                journal.appender().append(bytes);
                add(bytes);
            }
            writeOut();
            steps.add("append to " + (next - 1));
        }

        /** A follower sees the records that DIRECT has buffered once they are written. */
        private void writeOut()
        {
            if (0 == random.nextInt(3) || Backend.DIRECT == backend)
            {
                journal.force();
            }
        }

        /** Mostly short lengths, and sometimes a length that leaves little room in the segment. */
        private int length()
        {
            final long tail = journal.counters().appendedPosition() % SEGMENT_LENGTH;
            final int rest = (int)(SEGMENT_LENGTH - tail - FRAME_HEADER_LENGTH - 8L * random.nextInt(14));
            return 0 == random.nextInt(14) && rest > 0 && rest <= LARGEST_RECORD ? rest : random.nextInt(120);
        }

        private byte[] bytes(final int length)
        {
            final byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        }

        private void add(final byte[] bytes)
        {
            records.put(next, new Appended(bytes, nowMs));
            next++;
        }

        private void appendBatch()
        {
            final RecordBatch batch = new RecordBatch();
            final List<byte[]> all = new ArrayList<>();
            for (int i = 2 + random.nextInt(6); i > 0; i--)
            {
                all.add(bytes(random.nextInt(100)));
                batch.add(0, all.get(all.size() - 1));
            }
            journal.appender().append(batch);
            all.forEach(this::add);
            writeOut();
            steps.add("batch to " + (next - 1));
        }

        private void truncate()
        {
            final long last = Math.max(first - 1, next - 1 - random.nextInt(random.nextBoolean() ? 4 : 300));
            steps.add("truncate " + last);
            try
            {
                journal.truncateAfter(last);
            }
            catch (final IllegalArgumentException ex)
            {
                assertTrue(ex.getMessage().contains("batch"), ex.getMessage());
                return;
            }
            if (last < next - 1)
            {
                records.tailMap(last + 1).clear();
                next = last + 1;
                for (final Modelled modelled : readers)
                {
                    modelled.isLost |= modelled.next > next;
                    modelled.isOutdated = true;
                }
            }
        }

        private void prune()
        {
            journal.force();
            first = journal.prune(first + random.nextInt((int)(next - first) + 1));
            steps.add("prune to " + first);
            records.headMap(first).clear();
            for (final Modelled modelled : readers)
            {
                modelled.isLost |= modelled.next < first;
                modelled.isVague |= modelled.isOutdated;
            }
        }

        private void reopen()
        {
            steps.add("open again");
            readers.stream().filter((modelled) -> !modelled.isFollowing).forEach((modelled) -> modelled.reader.close());
            journal.close();
            open();
            assertEquals(first, journal.firstSequence());
            assertEquals(next - 1, journal.lastSequence());
            readers.stream().filter((modelled) -> !modelled.isFollowing).forEach(this::begin);
            // The term that begins takes over the cut before it, if there is no record between.
            readers.forEach((modelled) -> modelled.isOutdated = true);
        }

        private void lookUp(final long sequence)
        {
            final RecordHandler handler =
                (buffer, offset, length, header) -> check(sequence, buffer, offset, length, header);
            assertTrue(random.nextBoolean() ? journal.get(sequence, handler) : follower.get(sequence, handler));
        }

        private void check(
            final long sequence, final DirectBuffer buffer, final int offset, final int length,
            final RecordHandler.Header header)
        {
            assertEquals(sequence, header.sequence());
            final byte[] found = new byte[length];
            buffer.getBytes(offset, found);
            assertArrayEquals(records.get(sequence).bytes(), found);
        }

        private void use(final Modelled modelled)
        {
            final int use = random.nextInt(12);
            steps.add("use " + use + " of reader " + readers.indexOf(modelled) + " at " + modelled.next);
            if (modelled.isLost && use < 8)
            {
                assertThrows(RecordsGoneException.class, () -> poll(modelled));
                return;
            }
            try
            {
                use(modelled, use);
                assertEquals(modelled.next, modelled.reader.nextSequence());
                modelled.isVague = false;
            }
            catch (final RecordsGoneException ex)
            {
                // A reader that slept while cuts were made and pruned throws, whether or not it had read the records
                // that were cut.
                assertTrue(modelled.isVague, ex.getMessage());
                modelled.isLost = true;
            }
            modelled.isOutdated = false;
        }

        private void use(final Modelled modelled, final int use)
        {
            switch (use)
            {
                case 0, 1, 2 -> poll(modelled);
                case 3 -> pollControlled(modelled);
                case 4, 5, 6 -> pollBackwards(modelled);
                case 7 -> assertEquals(modelled.next < next, modelled.reader.await(Duration.ZERO));
                case 8 -> moved(modelled, first + random.nextInt((int)(next - first) + 1), modelled.reader::seek);
                case 9 -> moved(modelled, first, (sequence) -> modelled.reader.seekToStart());
                case 10 -> moved(modelled, next, (sequence) -> modelled.reader.seekToEnd());
                default -> seekToTime(modelled);
            }
        }

        private int limit()
        {
            return 1 + random.nextInt(random.nextBoolean() ? 3 : 300);
        }

        private void poll(final Modelled modelled)
        {
            final int limit = limit();
            final int thrownAt = 0 == random.nextInt(4) ? random.nextInt(limit) : Integer.MAX_VALUE;
            final long begin = modelled.next;
            final int wanted = (int)Math.min(limit, next - begin);
            try
            {
                assertEquals(wanted, modelled.reader.poll((buffer, offset, length, header) ->
                {
                    check(modelled.next, buffer, offset, length, header);
                    throwIf(modelled.next - begin == thrownAt);
                    modelled.next++;
                }, limit));
            }
            catch (final Thrown ex)
            {
                assertEquals(begin + thrownAt, modelled.next);
            }
        }

        private static void throwIf(final boolean isThrown)
        {
            if (isThrown)
            {
                throw new Thrown();
            }
        }

        private void pollControlled(final Modelled modelled)
        {
            final int limit = limit();
            final int abortedAt = 0 == random.nextInt(3) ? random.nextInt(limit) : Integer.MAX_VALUE;
            final long begin = modelled.next;
            final int wanted = (int)Math.min(Math.min(limit, abortedAt), next - begin);
            assertEquals(wanted, modelled.reader.controlledPoll((buffer, offset, length, header) ->
            {
                check(modelled.next, buffer, offset, length, header);
                if (modelled.next - begin == abortedAt)
                {
                    return RecordHandler.Action.ABORT;
                }
                modelled.next++;
                return 0 == random.nextInt(20) ? RecordHandler.Action.COMMIT : RecordHandler.Action.CONTINUE;
            }, limit));
        }

        private void pollBackwards(final Modelled modelled)
        {
            final int limit = limit();
            final int thrownAt = 0 == random.nextInt(4) ? random.nextInt(limit) : Integer.MAX_VALUE;
            final long begin = modelled.next;
            try
            {
                assertEquals(
                    (int)Math.min(limit, begin - first),
                    modelled.reader.pollBackwards((buffer, offset, length, header) ->
                    {
                        check(modelled.next - 1, buffer, offset, length, header);
                        throwIf(begin - modelled.next == thrownAt);
                        modelled.next--;
                    }, limit));
            }
            catch (final Thrown ex)
            {
                assertEquals(begin - thrownAt, modelled.next);
            }
        }

        private interface Seek
        {
            void to(long sequence) throws JournalException;
        }

        private static void moved(final Modelled modelled, final long sequence, final Seek seek)
        {
            seek.to(sequence);
            modelled.next = sequence;
            modelled.isLost = false;
        }

        private void seekToTime(final Modelled modelled)
        {
            final long timeMs = TIME_MS + random.nextInt((int)(nowMs - TIME_MS) + 1000);
            modelled.reader.seekToTime(Instant.ofEpochMilli(timeMs));
            final long found = modelled.reader.nextSequence();
            assertTrue(first <= found && found <= next, () -> "found=" + found);
            // Everything appended at or after the time follows.
            assertTrue(found == first || records.get(found - 1).timeMs() < timeMs, () -> "found=" + found);
            modelled.next = found;
            modelled.isLost = false;
        }

        @Override
        public String toString()
        {
            return Arrays.asList(backend, verification, isRecycling) + ", first=" + first + ", next=" + next +
                ", last steps: " + steps.subList(Math.max(0, steps.size() - 20), steps.size());
        }
    }
}
