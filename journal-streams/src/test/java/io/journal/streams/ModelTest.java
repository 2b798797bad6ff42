// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalReader.Limit;
import io.journal.store.Backend;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.FaultStore;
import io.journal.testkit.Tearing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Random operations, compared with a list of events: appends under conditions, reads, truncation, pruning, reopening
 * with index files that are kept, missing, damaged, older or foreign, and crashes of the process and of the machine.
 */
class ModelTest
{
    private static final int SEGMENT_LENGTH = JournalBuilder.MIN_SEGMENT_LENGTH;
    private static final int OPERATIONS = 2_500;

    @TempDir(factory = MemoryDirectory.class)
    private Path temp;

    private record Stored(Event event, String stream, long version, Set<String> tags)
    {
        static Stored of(final Event event, final String stream, final long version)
        {
            final Set<String> tags = new HashSet<>(event.tags());
            if (null != stream)
            {
                tags.add(Query.STREAM_PREFIX + stream);
            }
            return new Stored(event, stream, version, tags);
        }

        boolean matches(final Query query)
        {
            return query.items().isEmpty() || query.items().stream()
                .anyMatch((item) -> (item.types().isEmpty() || item.types().contains(event.type())) &&
                    tags.containsAll(item.tags()));
        }
    }

    /** What an append is expected to do. */
    private enum Outcome
    {
        APPENDED, REPEATED, CONFLICT, PRUNED
    }

    private static final class Run
    {
        private final Random random;
        private final Path temp;
        private final Backend backend;
        private final boolean isKeepingKeys;
        private final int tailEvents;
        // The event at position p is at p - 1; whether an append ended with it.
        private final List<Stored> events = new ArrayList<>();
        private final List<Boolean> isEnd = new ArrayList<>();
        private FaultStore store;
        private Path directory;
        private Journal journal;
        private EventStreams streams;
        private int directories;
        // Index files of pruned events were lost, or may have been.
        private boolean mayLackKeys;
        private Path olderIndex;
        private long operations;

        Run(final long seed, final Path temp)
        {
            random = new Random(seed);
            this.temp = temp;
            backend = Backend.values()[random.nextInt(Backend.values().length)];
            isKeepingKeys = random.nextBoolean();
            tailEvents = 16 + random.nextInt(48);
            store = new FaultStore(backend);
        }

        void run(final int count) throws IOException
        {
            directory = Files.createDirectory(temp.resolve("journal" + directories++));
            open();
            for (int i = 0; i < count; i++)
            {
                operations++;
                operate(random.nextInt(2000));
            }
            checkAll();
            streams.close();
        }

        private void operate(final int choice) throws IOException
        {
            if (choice < 850)
            {
                append();
            }
            else if (choice < 1130)
            {
                appendTo();
            }
            else if (choice < 1210)
            {
                repeat();
            }
            else if (choice < 1810)
            {
                read();
            }
            else if (choice < 1950)
            {
                version();
            }
            else if (choice < 1975)
            {
                streams.durable(head()).join();
                assertEquals(head(), streams.head(Limit.FORCED));
            }
            else if (choice < 1981)
            {
                truncate();
            }
            else if (choice < 1987)
            {
                journal.prune(1 + random.nextInt((int)head() + 1));
            }
            else if (choice < 1993)
            {
                reopen();
            }
            else if (choice < 1996)
            {
                crash();
            }
        }

        private long head()
        {
            return events.size();
        }

        private void open()
        {
            journal = Journal.builder(directory).backend(backend).store(store).segmentLength(SEGMENT_LENGTH)
                .backgroundThread(false).open();
            streams = EventStreams.open(journal, new EventStreams.Options(tailEvents, isKeepingKeys, Runnable::run,
                EventStreams.Options.DEFAULT.clock(), (problem) ->
                {
                }));
        }

        private Event event()
        {
            final Set<String> tags = new HashSet<>();
            for (int i = random.nextInt(4); i > 0; i--)
            {
                tags.add("tag" + random.nextInt(12));
            }
            final byte[] data = new byte[random.nextInt(60)];
            random.nextBytes(data);
            final UUID id = random.nextInt(3) > 0 ? null : new UUID(random.nextLong(), random.nextLong());
            return new Event(id, "type" + random.nextInt(4), tags, data, new byte[random.nextInt(3)]);
        }

        private List<Event> someEvents()
        {
            final List<Event> some = new ArrayList<>();
            for (int i = 0 == random.nextInt(4) ? 1 + random.nextInt(5) : 1; i > 0; i--)
            {
                some.add(event());
            }
            return some;
        }

        private Query query()
        {
            final List<Query.Item> items = new ArrayList<>();
            for (int i = random.nextInt(12) / 4 + (random.nextInt(30) > 0 ? 1 : 0); i > 0; i--)
            {
                final Set<String> types = new HashSet<>();
                final Set<String> tags = new HashSet<>();
                for (int j = random.nextInt(3); j > 0; j--)
                {
                    types.add("type" + random.nextInt(5));
                }
                for (int j = random.nextInt(3); j > 0; j--)
                {
                    tags.add(0 == random.nextInt(4) ? "stream:s" + random.nextInt(8) : "tag" + random.nextInt(13));
                }
                items.add(new Query.Item(types, tags));
            }
            return new Query(items);
        }

        private long position()
        {
            final int back = 0 == random.nextInt(6) ? events.size() + 1 : Math.min(events.size() + 1, 20);
            return head() - random.nextInt(back);
        }

        private void append()
        {
            final List<Event> some = someEvents();
            final Condition[] conditions = new Condition[random.nextInt(3)];
            Arrays.setAll(conditions, (i) -> new Condition(query(), position()));
            append(some, conditions);
        }

        private void append(final List<Event> some, final Condition... conditions)
        {
            Outcome expected = Outcome.APPENDED;
            int number = -1;
            long newest = 0;
            final long first = streams.first();
            for (int i = 0; i < conditions.length && Outcome.APPENDED == expected; i++)
            {
                newest = newest(conditions[i].failIfMatch(), conditions[i].after(), first);
                number = i;
                expected = newest > 0 ? Outcome.CONFLICT :
                    isUnknown(conditions[i].failIfMatch(), conditions[i].after(), first) ? Outcome.PRUNED : expected;
            }

            Outcome found;
            try
            {
                final EventStreams.Appended appended = streams.append(some, conditions);
                found = Outcome.APPENDED;
                assertEquals(head() + 1, appended.first());
                assertEquals(head() + some.size(), appended.last());
                some.forEach((event) -> add(event, null, 0, event == some.get(some.size() - 1)));
            }
            catch (final ConflictException ex)
            {
                found = Outcome.CONFLICT;
                assertEquals(newest, ex.position());
                assertEquals(number, ex.condition());
            }
            catch (final PrunedException ex)
            {
                found = Outcome.PRUNED;
                assertEquals(first, ex.sequence());
            }
            // If keys of pruned events are lost, what is not known is refused.
            if (!(mayLackKeys && first > 1 && Outcome.PRUNED == found &&
                (Outcome.CONFLICT != expected || number > 0 || hasId(some))))
            {
                assertEquals(expected, found, this::toString);
            }
        }

        private long newest(final Query query, final long after, final long first)
        {
            for (long position = head(); position > after && position >= first; position--)
            {
                if (events.get((int)position - 1).matches(query))
                {
                    return position;
                }
            }
            return 0;
        }

        private boolean isUnknown(final Query query, final long after, final long first)
        {
            if (after + 1 >= first || !isKeepingKeys)
            {
                return after + 1 < first;
            }
            for (long position = after + 1; position < first; position++)
            {
                if (events.get((int)position - 1).matches(query))
                {
                    return true;
                }
            }
            return false;
        }

        private static boolean hasId(final List<Event> some)
        {
            return some.stream().anyMatch((event) -> null != event.id());
        }

        private void add(final Event event, final String stream, final long version, final boolean isLast)
        {
            events.add(Stored.of(event, stream, version));
            isEnd.add(isLast);
        }

        private void appendTo()
        {
            final List<Event> some = someEvents();
            final String stream = "s" + random.nextInt(8);
            final Query query = Query.stream(stream);
            final long first = streams.first();
            final long newest = newest(query, 0, first);
            final long version = newest > 0 ? events.get((int)newest - 1).version : 0;
            final int choice = random.nextInt(5);
            final long expectedVersion = 0 == choice ? EventStreams.ANY_VERSION :
                1 == choice ? Math.max(0, version + random.nextInt(3) - 1) : version;
            final Outcome expected = 0 == newest && isUnknown(query, 0, first) ? Outcome.PRUNED :
                EventStreams.ANY_VERSION == expectedVersion || version == expectedVersion ? Outcome.APPENDED :
                    Outcome.CONFLICT;
            Outcome found;
            try
            {
                final EventStreams.Appended appended = streams.appendTo(stream, expectedVersion, some);
                found = Outcome.APPENDED;
                assertEquals(head() + 1, appended.first());
                for (int i = 0; i < some.size(); i++)
                {
                    add(some.get(i), stream, version + i + 1, i == some.size() - 1);
                }
            }
            catch (final ConflictException ex)
            {
                found = Outcome.CONFLICT;
                assertEquals(newest, ex.position());
            }
            catch (final PrunedException ex)
            {
                found = Outcome.PRUNED;
            }
            if (!(mayLackKeys && first > 1 && Outcome.PRUNED == found && (0 == newest || hasId(some))))
            {
                assertEquals(expected, found, this::toString);
            }
        }

        /** An append is repeated as a whole, or ids of it are used by another. */
        private void repeat()
        {
            final long first = streams.first();
            if (head() < first)
            {
                return;
            }
            int begin = (int)(first - 1) + random.nextInt((int)(head() - first + 1));
            while (begin > first - 1 && !isEnd.get(begin - 1))
            {
                begin--;
            }
            int end = begin;
            while (!isEnd.get(end))
            {
                end++;
            }
            final List<Event> same =
                new ArrayList<>(events.subList(begin, end + 1).stream().map((stored) -> stored.event).toList());
            if (null == same.get(0).id() || begin == first - 1)
            {
                return;
            }
            assertEquals(new EventStreams.Appended(begin + 1, end + 1, true),
                streams.append(same, new Condition(Query.ALL, 0)));
            same.add(0, event());
            final ConflictException conflict = org.junit.jupiter.api.Assertions.assertThrows(
                ConflictException.class, () -> streams.append(same));
            assertEquals(ConflictException.IDS, conflict.condition());
            assertEquals(begin + 1, conflict.position());
        }

        private void read()
        {
            final Query query = query();
            final long after = position();
            final long upTo = 0 == random.nextInt(4) ? position() : Long.MAX_VALUE;
            final int limit = 0 == random.nextInt(3) ? random.nextInt(6) : Integer.MAX_VALUE;
            final boolean isBackwards = random.nextBoolean();
            final long first = streams.first();
            final long top = Math.min(upTo, head());
            final List<Long> expected = new ArrayList<>();
            for (long i = 0; i < head() && expected.size() < limit; i++)
            {
                final long position = isBackwards ? head() - i : i + 1;
                if (position > after && position <= top && position >= first &&
                    events.get((int)position - 1).matches(query))
                {
                    expected.add(position);
                }
            }
            final boolean isComplete = expected.size() < limit;
            final boolean isPruned = (!isBackwards || isComplete) && isUnknown(query, after, first);
            final List<Long> found = new ArrayList<>();
            try
            {
                final long looked = streams.read(query, new Range(after, upTo, isBackwards, limit, Limit.WRITTEN),
                    (event) ->
                    {
                        if (0 == random.nextInt(8))
                        {
                            check(event);
                        }
                        found.add(event.position());
                    });
                assertEquals(expected, found, this::toString);
                assertTrue(!isPruned, this::toString);
                if (isBackwards || isComplete)
                {
                    assertEquals(top, looked);
                }
                else
                {
                    assertTrue(looked <= top && (expected.isEmpty() || looked >= expected.get(expected.size() - 1)));
                    // A condition with this position would find exactly what the limit has left out.
                    for (long position = after + 1; position <= looked; position++)
                    {
                        assertTrue(!events.get((int)position - 1).matches(query) || expected.contains(position));
                    }
                }
            }
            catch (final PrunedException ex)
            {
                assertTrue(isPruned || mayLackKeys && first > after + 1, this::toString);
            }
        }

        private void check(final EventView event)
        {
            final Stored stored = events.get((int)event.position() - 1);
            assertEquals(stored.event, event.copy());
            assertEquals(stored.stream, event.stream());
            assertEquals(stored.version, event.version());
            final byte[] data = new byte[event.length()];
            event.buffer().getBytes(event.offset(), data);
            assertArrayEquals(stored.event.data(), data);
        }

        private void version()
        {
            final String stream = "s" + random.nextInt(9);
            final long first = streams.first();
            final long newest = newest(Query.stream(stream), 0, first);
            try
            {
                final long version = streams.version(stream);
                assertEquals(newest > 0 ? events.get((int)newest - 1).version : 0, version);
                assertTrue(newest > 0 || !isUnknown(Query.stream(stream), 0, first), this::toString);
            }
            catch (final PrunedException ex)
            {
                assertTrue(0 == newest && (isUnknown(Query.stream(stream), 0, first) || mayLackKeys && first > 1),
                    this::toString);
            }
        }

        private void truncate()
        {
            long position = Math.max(streams.first() - 1, head() - random.nextInt(0 == random.nextInt(4) ? 500 : 30));
            while (position > 0 && position >= streams.first() && !isEnd.get((int)position - 1))
            {
                position--;
            }
            if (position == streams.first() - 1 && position > 0 && !isEnd.get((int)position - 1))
            {
                return;
            }
            streams.truncateAfter(position);
            forgetAfter(position);
        }

        private void forgetAfter(final long position)
        {
            if (streams.first() > 1)
            {
                // A tail that holds the keys of pruned events is lost.
                mayLackKeys = true;
            }
            events.subList((int)position, events.size()).clear();
            isEnd.subList((int)position, isEnd.size()).clear();
        }

        private void reopen() throws IOException
        {
            streams.close();
            final boolean isHarmed = harmIndex();
            open();
            mayLackKeys |= isHarmed && streams.first() > 1;
            assertEquals(head(), streams.head(Limit.WRITTEN));
            checkSome();
        }

        private boolean harmIndex() throws IOException
        {
            final Path index = directory.resolve("streams");
            final List<Path> files;
            try (Stream<Path> all = Files.list(index))
            {
                files = all.filter((file) -> file.toString().endsWith(".index")).sorted().toList();
            }
            final int harm = random.nextInt(8);
            if (files.isEmpty() || harm < 2)
            {
                keepOlder(index, files);
                return false;
            }
            final Path file = files.get(random.nextInt(files.size()));
            final byte[] bytes = Files.readAllBytes(file);
            if (2 == harm)
            {
                for (final Path each : files)
                {
                    Files.delete(each);
                }
            }
            else if (3 == harm)
            {
                Files.delete(file);
            }
            else if (4 == harm)
            {
                bytes[random.nextInt(bytes.length)] ^= (byte)(1 << random.nextInt(8));
                // It may be found after a prune.
                mayLackKeys = true;
                Files.write(file, bytes);
            }
            else if (5 == harm)
            {
                Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
            }
            else if (6 == harm)
            {
                // A file under the name of another range.
                Files.copy(file, index.resolve("1-" + (1 + random.nextInt(500)) + ".index"),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            }
            else if (null != olderIndex)
            {
                copy(olderIndex, index);
            }
            return true;
        }

        private void keepOlder(final Path index, final List<Path> files) throws IOException
        {
            if (!files.isEmpty() && random.nextBoolean())
            {
                olderIndex = temp.resolve("older" + directories++);
                copy(index, olderIndex);
            }
        }

        private static void copy(final Path from, final Path to) throws IOException
        {
            Files.createDirectories(to);
            try (Stream<Path> all = Files.list(from))
            {
                for (final Path file : all.filter(Files::isRegularFile).toList())
                {
                    try
                    {
                        Files.write(to.resolve(file.getFileName()), Files.readAllBytes(file));
                    }
                    catch (final java.nio.file.NoSuchFileException ex)
                    {
                        // Merged meanwhile.
                    }
                }
            }
        }

        private void crash() throws IOException
        {
            final long durable = journal.forcedSequence();
            final CrashPoint point = store.crashPoint();
            final boolean isPowerLoss = random.nextBoolean();
            final FaultStore after = isPowerLoss ? point.disk(Tearing.SECTORS, random.nextLong()) : point.killed();
            // Files of other moments, as a crash between may leave them.
            final Path target = Files.createDirectory(temp.resolve("journal" + directories++));
            copy(directory.resolve("streams"), Files.createDirectory(target.resolve("streams")));
            streams.close();

            directory = target;
            store = after;
            if (0 == random.nextInt(3))
            {
                harmIndex();
            }
            open();
            mayLackKeys |= streams.first() > 1;
            final long head = streams.head(Limit.WRITTEN);
            assertTrue(durable <= head && head <= head(), this::toString);
            assertTrue(isPowerLoss || Backend.DIRECT == backend || head == head(), this::toString);
            assertTrue(0 == head || isEnd.get((int)head - 1), "a part of an append is left");
            forgetAfter(head);
            checkSome();
        }

        private void checkSome()
        {
            for (int i = 0; i < 10; i++)
            {
                read();
                version();
            }
        }

        private void checkAll()
        {
            final long[] count = new long[1];
            streams.read(Query.ALL, Range.from(streams.first() - 1), (event) ->
            {
                check(event);
                count[0]++;
            });
            assertEquals(head() - streams.first() + 1, count[0]);
        }

        @Override
        public String toString()
        {
            return "operations=" + operations + ", head=" + head() + ", first=" + streams.first() + ", isKeepingKeys=" +
                isKeepingKeys + ", tailEvents=" + tailEvents + ", backend=" + backend + ", mayLackKeys=" + mayLackKeys;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void answersAreThoseOfTheModel(final long group) throws IOException
    {
        for (int i = 0; i < 10; i++)
        {
            run(1000 * group + i);
        }
    }

    private void run(final long seed) throws IOException
    {
        try
        {
            new Run(seed, Files.createDirectory(temp.resolve("seed" + seed))).run(OPERATIONS);
        }
        catch (final RuntimeException | AssertionError ex)
        {
            throw new AssertionError("seed=" + seed + ": " + ex, ex);
        }
    }

    @Test
    @Tag("soak")
    void answersAreThoseOfTheModelForLong() throws IOException
    {
        // In pieces, if it is to end sooner: each begins with another seed.
        final long first = Long.getLong("journal.test.seed", 1_000_000);
        for (long seed = first; seed < first + Long.getLong("journal.test.rounds", 4_000); seed++)
        {
            run(seed);
        }
    }
}
