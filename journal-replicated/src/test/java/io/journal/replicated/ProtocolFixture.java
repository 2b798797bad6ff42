// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

import io.journal.Journal;
import io.journal.JournalReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A leader and a follower in a cluster that loses messages as the test decides, and whose clock the test moves. */
abstract class ProtocolFixture
{
    static final int WINDOW = 100;
    static final int MAX_RECORD_LENGTH = 256;
    static final long DEADLINE_NS = Duration.ofSeconds(30).toNanos();
    static final long SECOND_NS = Duration.ofSeconds(1).toNanos();

    @TempDir
    private Path directory;
    final FakeCluster cluster = new FakeCluster(Protocol.capacity(MAX_RECORD_LENGTH));
    Journal leader;
    Journal follower;
    long nowNs = 1_000;
    // The epoch of the writer whose turn begins with a sequence.
    private final NavigableMap<Long, Long> turns = new TreeMap<>();

    @BeforeEach
    void start()
    {
        leader = open("leader");
        follower = open("follower");
        cluster.add(TestCluster.machine(leader, 1));
        cluster.add(TestCluster.machine(follower, 1));
    }

    @AfterEach
    void end()
    {
        leader.close();
        follower.close();
    }

    Writer connect()
    {
        final Writer writer = new Writer(cluster::connect, settings(), () -> nowNs);
        for (int i = 0; i < 100 && !writer.isOpened(); i++)
        {
            writer.drive();
            cluster.commit();
            nowNs += SECOND_NS;
        }
        assertTrue(writer.isOpened());
        // Replaces the turn of the previous writer if none of its records was committed.
        turns.put(writer.last() + 1, writer.epoch());
        return writer;
    }

    /** Connects a writer whose first records are acknowledged. */
    Writer connectWith(final int records)
    {
        final Writer writer = connect();
        append(writer, records);
        settle(writer);
        return writer;
    }

    static ReplicatedJournalBuilder settings()
    {
        return ReplicatedJournal.builder("a:1000").window(WINDOW, 64 * 1024).maxRecordLength(MAX_RECORD_LENGTH)
            .deadline(Duration.ofNanos(DEADLINE_NS));
    }

    /** Nothing is lost any more. */
    void settle(final Writer writer)
    {
        for (int i = 0; i < 20; i++)
        {
            nowNs += SECOND_NS / 4;
            writer.drive();
            cluster.commit();
        }
        writer.drive();
    }

    static void append(final Writer writer, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final long next = writer.last() + 1;
            assertEquals(next, append(writer));
        }
    }

    static long append(final Writer writer)
    {
        final byte[] record = text(writer.epoch(), writer.last() + 1).getBytes(StandardCharsets.UTF_8);
        return writer.append(writer.epoch(), record, 0, record.length);
    }

    static String text(final long epoch, final long sequence)
    {
        return "record " + sequence + " of " + epoch + "x".repeat((int)(sequence % 200));
    }

    void assertJournals(final long last)
    {
        assertEquals(expected(1, last), records(leader));
        assertEquals(expected(1, last), records(follower));
    }

    /** Returns the expected records, with the tag and the bytes of the writer whose turn each was. */
    List<String> expected(final long first, final long last)
    {
        return LongStream.rangeClosed(first, last).mapToObj((i) ->
        {
            final long epoch = turns.floorEntry(i).getValue();
            return i + " " + epoch + " " + text(epoch, i);
        }).toList();
    }

    static List<String> records(final Journal journal)
    {
        final List<String> records = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            reader.poll(
                (buffer, offset, length, header) -> records.add(
                    header.sequence() + " " + header.tag() + " " + buffer.getStringWithoutLengthUtf8(offset, length)),
                Integer.MAX_VALUE);
        }
        assertFalse(journal.isClosed());
        return records;
    }

    Path directory()
    {
        return directory;
    }

    Journal open(final String name)
    {
        return Journal.builder(directory.resolve(name)).segmentLength(64 * 1024).maxRecordLength(MAX_RECORD_LENGTH)
            .open();
    }
}
