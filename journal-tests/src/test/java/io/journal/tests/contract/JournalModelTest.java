// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.RecordHandler;
import io.journal.RecoveryReport;
import io.journal.internal.read.RecordsGoneException;
import io.journal.store.Backend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Random use of a journal, compared with a model. A failure prints the seed, which {@code -Djournal.model.seed}
 * repeats.
 */
class JournalModelTest extends JournalFixture
{
    private static final String SEED = "journal.model.seed";
    private static final int SECTOR_LENGTH = 512;
    private static final int PAGE_LENGTH = 4096;

    static Stream<Arguments> someSeeds()
    {
        // DIRECT runs fewer seeds in each build, because it shares everything but the writes with FILE_CHANNEL.
        return seeds(LongStream.rangeClosed(1, 4)).filter((arguments) -> Backend.DIRECT != arguments.get()[0] ||
            null != Long.getLong(SEED) || (long)arguments.get()[1] <= 2);
    }

    static Stream<Arguments> manySeeds()
    {
        final long first = System.currentTimeMillis();
        return seeds(LongStream.range(first, first + 40));
    }

    private static Stream<Arguments> seeds(final LongStream seeds)
    {
        final Long only = Long.getLong(SEED);
        return (null == only ? seeds : LongStream.of(only)).boxed()
            .flatMap((seed) -> UsableBackends.tested().stream().map((backend) -> Arguments.of(backend, seed)));
    }

    @ParameterizedTest
    @MethodSource("someSeeds")
    void journalMatchesAListAcrossCrashes(final Backend backend, final long seed) throws IOException
    {
        run(backend, seed, 300);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("manySeeds")
    void journalMatchesAListAcrossManyCrashes(final Backend backend, final long seed) throws IOException
    {
        run(backend, seed, 2000);
    }

    private void run(final Backend backend, final long seed, final int steps) throws IOException
    {
        final Run run = new Run(temp, backend, seed);
        try
        {
            run.open();
            for (int i = 0; i < steps; i++)
            {
                run.step();
            }
            run.readAll();
            run.reopen();
            run.readAll();
        }
        catch (final Throwable ex)
        {
            throw new AssertionError("again with -D" + SEED + "=" + seed + ": " + run + "; " + ex.getMessage(), ex);
        }
        finally
        {
            run.close();
        }
    }

    private static final class Run
    {
        private final Path temp;
        private final Backend backend;

        private final Random random;
        private final int segmentLength;
        private final boolean isMixed;
        private final TestClock clock = new TestClock();
        private final List<Entry> expected = new ArrayList<>();
        private final StringBuilder history = new StringBuilder();

        private final RecordBatch batch = new RecordBatch();
        private final List<Long> ends = new ArrayList<>();

        private Path directory;
        private Journal journal;
        private JournalAppender appender;
        private boolean isShared;
        private ForcePolicy policy;
        private JournalReader follower;
        private int window;
        // Number of the oldest record that is left, less one.
        private int pruned;
        private int lives;

        Run(final Path temp, final Backend backend, final long seed)
        {
            this.temp = temp;
            this.backend = backend;

            // The same for every backend.
            random = new Random(seed);
            segmentLength = SEGMENT_LENGTH << new int[]{ 0, 0, 0, 1, 2, 4 }[random.nextInt(6)];
            isMixed = 0 == random.nextInt(3);
            directory = temp.resolve("0");
        }

        void open()
        {
            window = new int[]{ 0, 0, 1, 1001, 4096, 65536 }[random.nextInt(6)];
            final Backend used = isMixed ? UsableBackends.one(random.nextInt(12), temp) : backend;
            policy = new ForcePolicy[]{ ForcePolicy.manual(), ForcePolicy.manual(), ForcePolicy.everyRecord(),
                ForcePolicy.every(Duration.ZERO), ForcePolicy.every(Duration.ofDays(1)) }[random.nextInt(5)];
            final boolean isRecycling = random.nextBoolean();
            journal = repeatable(directory, used, random.nextLong())
                .segmentLength(segmentLength).writeWindow(window).clock(clock).force(policy)
                .recycleSegments(isRecycling).open();
            isShared = 0 == random.nextInt(3);
            appender = isShared ? journal.sharedAppender() : journal.appender();
            follower = journal.openReader();
            lives++;
            log("open " + used + " " + window + " " + policy + (isShared ? " shared" : "") +
                (isRecycling ? " recycling" : ""));
        }

        void close()
        {
            if (null != follower)
            {
                follower.close();
                journal.close();
            }
        }

        void step() throws IOException
        {
            final int choice = random.nextInt(120);
            if (choice < 40)
            {
                append(length());
            }
            else if (choice < 48)
            {
                claim(length());
            }
            else if (choice < 56)
            {
                appendBatch();
            }
            else if (choice < 63)
            {
                force();
            }
            else if (choice < 69)
            {
                log("work");
                doWork(journal);
            }
            else if (choice < 74)
            {
                clock.advance(random.nextInt(2000));
            }
            else if (choice < 82)
            {
                follow();
            }
            else if (choice < 92)
            {
                readSomewhere();
            }
            else if (choice < 97)
            {
                fill();
            }
            else if (choice < 101)
            {
                prune();
            }
            else if (choice < 105)
            {
                truncate();
            }
            else if (choice < 108)
            {
                log("roll");
                journal.roll();
            }
            else if (choice < 112)
            {
                mismatch();
            }
            else if (choice < 116)
            {
                reopen();
            }
            else
            {
                crash();
            }
            checkEnds();
        }

        private int length()
        {
            final int max = appender.maxRecordLength();
            final int choice = random.nextInt(100);
            if (choice < 8)
            {
                return 0;
            }
            if (choice < 70)
            {
                return random.nextInt(200);
            }
            if (choice < 92)
            {
                return random.nextInt(5000);
            }

            return choice < 97 ? random.nextInt(max) : max - random.nextInt(64);
        }

        private void append(final int length)
        {
            log("append " + length);
            final Entry entry = entry(length);
            final byte[] bytes = entry.bytes();
            final long expectation = random.nextBoolean() ? JournalAppender.ANY : expected.size();
            final long sequence = switch (random.nextInt(3))
            {
                case 0 -> appender.appendIf(expectation, entry.tag(), bytes, 0, length);
                case 1 -> appender.appendIf(expectation, entry.tag(), ByteBuffer.wrap(bytes), 0, length);
                default -> appender.appendIf(expectation, entry.tag(), JournalAppender.wrap(bytes), 0, length);
            };
            assertEquals(entry.sequence(), sequence);
            add(entry, true);
            checkAcknowledged(sequence);
        }

        /**
         * @param isEnd whether a frame ends with it, so that the journal can be cut behind it.
         */
        private void add(final Entry entry, final boolean isEnd)
        {
            expected.add(entry);
            if (isEnd)
            {
                ends.add(entry.sequence());
            }
        }

        private void checkAcknowledged(final long sequence)
        {
            assertTrue(ForcePolicy.everyRecord() != policy || journal.forcedSequence() == sequence, journal::toString);
        }

        private void appendBatch()
        {
            final int count = 1 + random.nextInt(6);
            batch.clear();
            final List<Entry> entries = new ArrayList<>();
            int length = 32;
            for (int i = 0; i < count; i++)
            {
                final int next = Math.min(length(), 20_000);
                if (length + 16 + next + 8 < SEGMENT_LENGTH - 4096 - 64)
                {
                    length += 16 + (next + 7) / 8 * 8;
                    entries.add(new Entry(
                        expected.size() + entries.size() + 1L, random.nextLong(), record(random.nextLong(), next)));
                    batch.add(entries.get(entries.size() - 1).tag(), entries.get(entries.size() - 1).bytes());
                }
            }
            log("batch " + batch);
            if (entries.isEmpty())
            {
                return;
            }

            final long sequence = random.nextBoolean() ?
                appender.append(batch) : appender.appendIf(expected.size(), batch);
            assertEquals(expected.size() + entries.size(), sequence);
            entries.forEach((entry) -> add(entry, entry.sequence() == sequence));
            checkAcknowledged(sequence);
        }

        private void mismatch()
        {
            final long position = journal.counters().appendedPosition();
            final long expectation = expected.size() + (random.nextBoolean() ? 1 : -1);
            log("mismatch");
            assertEquals(JournalAppender.MISMATCH, appender.appendIf(expectation, 1, new byte[10]));
            batch.clear();
            assertEquals(JournalAppender.MISMATCH, appender.appendIf(expectation, batch.add(new byte[10])));
            assertEquals(position, journal.counters().appendedPosition());
        }

        private void prune()
        {
            // A small part, so that some records are left to read.
            final double part = random.nextDouble() * random.nextDouble();
            final int sequence = 1 + pruned + (int)(part * (expected.size() - pruned + 1));
            final long first = journal.prune(sequence);
            log("prune " + sequence + " to " + first);
            assertTrue(first > pruned && (first <= sequence || first == pruned + 1), () -> "first=" + first);
            assertEquals(first, journal.firstSequence());
            pruned = (int)first - 1;
        }

        private void truncate()
        {
            final int most = expected.size();
            final int least = 0 == random.nextInt(4) ? pruned : Math.max(pruned, most - 20);
            final int last = least + random.nextInt(most - least + 1);
            log("truncate " + last);
            if (last != pruned && last != most && !ends.contains((long)last))
            {
                assertThrows(IllegalArgumentException.class, () -> journal.truncateAfter(last));
                return;
            }

            journal.truncateAfter(last);
            forgetAfter(last);
            assertEquals(last, journal.forcedSequence());
        }

        private void forgetAfter(final int last)
        {
            expected.subList(last, expected.size()).clear();
            ends.removeIf((end) -> end > last);
        }

        private Entry entry(final int length)
        {
            final long sequence = expected.size() + 1L;
            return new Entry(sequence, random.nextLong(), record(random.nextLong(), length));
        }

        private void claim(final int length)
        {
            if (isShared)
            {
                append(length);
                return;
            }

            final boolean isCommitted = random.nextBoolean();
            log((isCommitted ? "commit " : "abort ") + length);
            final Entry entry = entry(length);
            try (RecordClaim claim = appender.claim(length))
            {
                claim.buffer().putBytes(0, entry.bytes());
                if (isCommitted)
                {
                    assertEquals(entry.sequence(), claim.tag(entry.tag()).commit());
                    add(entry, true);
                    checkAcknowledged(entry.sequence());
                }
            }
        }

        private void force()
        {
            if (random.nextBoolean() || pruned == expected.size())
            {
                log("force");
                journal.force();
                assertEquals(expected.size(), journal.forcedSequence());
                assertEquals(journal.counters().appendedPosition(), journal.counters().forcedPosition());
            }
            else
            {
                final long sequence = pruned + 1 + random.nextInt(expected.size() - pruned);
                log("await " + sequence);
                if (policy == ForcePolicy.manual() || policy == ForcePolicy.everyRecord())
                {
                    journal.awaitForced(sequence);
                }
                else
                {
                    // The background agent has no thread.
                    final boolean isForced = journal.forcedSequence() >= sequence;
                    assertEquals(isForced, journal.awaitForced(sequence, Duration.ZERO));
                    journal.force();
                }
                assertTrue(journal.awaitForced(sequence, Duration.ZERO));
                assertTrue(journal.forcedSequence() >= sequence);
            }
        }

        // A record that ends at the end of the segment, or just before it.
        private void fill()
        {
            final long remaining = segmentLength - journal.counters().appendedPosition() % segmentLength;
            final long length = remaining - FRAME_HEADER_LENGTH - 8L * random.nextInt(12);
            if (length >= 0 && length <= appender.maxRecordLength())
            {
                append((int)length);
            }
        }

        private void follow()
        {
            final int limit = random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(10);
            final JournalReader.State state = follower.state();
            if (JournalReader.State.FOLLOWING != state)
            {
                log("lost, " + state);
                assertThrows(RecordsGoneException.class, () -> poll(follower));
                if (JournalReader.State.PRUNED == state)
                {
                    assertTrue(follower.nextSequence() <= pruned);
                    follower.seekToStart();
                }
                else
                {
                    follower.seek(pruned + 1L + random.nextInt(expected.size() - pruned + 1));
                }
            }
            final int first = (int)follower.nextSequence() - 1;
            assertTrue(first >= pruned && first <= expected.size());
            final List<Entry> entries = poll(follower, limit);
            assertEquals(expected.subList(first, Math.min(expected.size() - first, limit) + first), entries);
        }

        private void readSomewhere()
        {
            final int first = pruned + random.nextInt(expected.size() - pruned + 1);
            final int count = Math.min(random.nextInt(20), expected.size() - first);
            log("read " + count + " from " + first);
            if (random.nextBoolean())
            {
                read(follower, first, count);
            }
            else
            {
                try (JournalReader reader = journal.openReader())
                {
                    read(reader, first, count);
                }
            }
        }

        private void read(final JournalReader reader, final int first, final int count)
        {
            reader.seek(first + 1);
            switch (random.nextInt(3))
            {
                case 0:
                    final List<Entry> back = new ArrayList<>();
                    final int length = Math.min(count, first - pruned);
                    assertEquals(length, reader.pollBackwards(into(back), count));
                    Collections.reverse(back);
                    assertEquals(expected.subList(first - length, first), back);
                    assertEquals(first - length + 1, reader.nextSequence());
                    assertEquals(back, poll(reader, length));
                    break;

                case 1:
                    readControlled(reader, first, count);
                    break;

                default:
                    assertEquals(expected.subList(first, first + count), poll(reader, count));
                    break;
            }
        }

        private void readControlled(final JournalReader reader, final int first, final int count)
        {
            final int stop = random.nextInt(20);
            final boolean isAborting = random.nextBoolean();
            final List<Entry> entries = new ArrayList<>();
            final RecordHandler into = into(entries);
            final int found = reader.controlledPoll((buffer, offset, length, header) ->
            {
                if (entries.size() == stop && isAborting)
                {
                    return RecordHandler.Action.ABORT;
                }
                into.onRecord(buffer, offset, length, header);
                return entries.size() > stop ? RecordHandler.Action.BREAK :
                    0 == entries.size() % 3 ? RecordHandler.Action.COMMIT :
                        RecordHandler.Action.CONTINUE;
            }, count);
            assertEquals(Math.min(count, isAborting ? stop : stop + 1), found);
            assertEquals(expected.subList(first, first + found), entries);
            assertEquals(first + found + 1, reader.nextSequence());
            assertEquals(expected.subList(first + found, first + count), poll(reader, count - found));
        }

        void readAll()
        {
            assertEquals(expected.subList(pruned, expected.size()), JournalFixture.readAll(journal));
        }

        void reopen()
        {
            log("reopen");
            close();
            open();
            final RecoveryReport report = journal.recoveryReport();
            assertFalse(report.isNew());
            assertEquals(0, report.tornLength(), report::toString);
            assertEquals(expected.size(), journal.lastSequence());
            assertEquals(expected.size(), journal.forcedSequence());
        }

        private void checkEnds()
        {
            assertEquals(pruned + 1, journal.firstSequence());
            assertEquals(expected.size(), journal.lastSequence());
            assertTrue(journal.writtenSequence() <= journal.lastSequence());
            assertTrue(window > 0 || journal.writtenSequence() == journal.lastSequence(), journal::toString);
            assertTrue(journal.forcedSequence() <= journal.writtenSequence());
        }

        /** Copies the files, loses unforced data as a crash can, and continues with the rest. */
        private void crash() throws IOException
        {
            final long forcedSequence = journal.forcedSequence();
            final long writtenSequence = journal.writtenSequence();
            final long forcedPosition = journal.counters().forcedPosition();
            final Path crashed = temp.resolve(Integer.toString(lives));
            copy(directory, crashed);
            close();
            deleteAll(directory);
            directory = crashed;

            final boolean isAllKept = 0 == random.nextInt(4);
            log("crash, forced=" + forcedSequence + ", kept=" + isAllKept);
            if (!isAllKept)
            {
                loseUnforced(forcedPosition);
            }
            open();

            final long last = journal.lastSequence();
            final Supplier<String> facts =
                () -> journal.recoveryReport() + ", last=" + last + ", forced=" + forcedSequence + ", written=" +
                    writtenSequence;
            assertTrue(last >= forcedSequence && last <= expected.size(), facts);
            assertTrue(!isAllKept || last >= writtenSequence, facts);
            assertEquals(last, journal.forcedSequence(), facts);
            // A batch is lost as a whole, so the journal ends at the end of a batch.
            assertTrue(last == pruned || last == expected.size() || ends.contains(last), facts);
            forgetAfter((int)last);
            readAll();
        }

        private void loseUnforced(final long forcedPosition) throws IOException
        {
            final int how = random.nextInt(4);
            final int unit = 0 == how ? 1 : 0 == random.nextInt(2) ? SECTOR_LENGTH : PAGE_LENGTH;
            // Two of the four ways lose everything from this position on; the others decide at random for each piece.
            final long cut = forcedPosition + (long)(random.nextDouble() * random.nextDouble() * 2 * segmentLength);
            log("lose, how=" + how + ", unit=" + unit + ", cut=" + cut);
            for (long ordinal = forcedPosition / segmentLength;; ordinal++)
            {
                final Path path = segment(directory, ordinal);
                if (!Files.exists(path))
                {
                    break;
                }

                final byte[] bytes = Files.readAllBytes(path);
                final long base = ordinal * segmentLength;
                final int from = (int)Math.max(PAGE_LENGTH, forcedPosition - base);
                for (int start = from / unit * unit; start < bytes.length; start += unit)
                {
                    final boolean isLost = how < 2 ? base + start >= cut : random.nextBoolean();
                    if (isLost)
                    {
                        // The durable part of the piece stays.
                        Arrays.fill(bytes, Math.max(from, start), Math.min(bytes.length, start + unit), (byte)0);
                    }
                }
                Files.write(path, bytes);
            }
        }

        private static void deleteAll(final Path directory) throws IOException
        {
            for (final String name : names(directory))
            {
                Files.delete(directory.resolve(name));
            }
            Files.delete(directory);
        }

        // Deepest first.
        private static List<String> names(final Path directory) throws IOException
        {
            try (Stream<Path> paths = Files.walk(directory))
            {
                return paths.filter((path) -> !path.equals(directory)).sorted((a, b) -> b.compareTo(a))
                    .map((path) -> directory.relativize(path).toString()).toList();
            }
        }

        private void log(final String what)
        {
            history.append(what).append("; ");
            if (history.length() > 2000)
            {
                history.delete(0, 1000);
            }
        }

        @Override
        public String toString()
        {
            return "backend=" + backend + ", segmentLength=" + segmentLength + ", isMixed=" + isMixed + ", lives=" +
                lives + ", records=" + expected.size() + ", last steps: " + history;
        }
    }
}
