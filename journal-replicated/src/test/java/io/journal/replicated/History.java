// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The history of the writers, and the check that a member's journal agrees: each acknowledged record is there once, at
 * its sequence, with its bytes; and no record is there that was not appended by the writer whose turn it was. A
 * record's bytes follow from its writer's epoch, which is its tag, and its sequence.
 */
final class History
{
    private static final int MIN_LENGTH = 16;
    private static final int MAX_LENGTH = 200;
    // Aeron cannot tell a frame that ends in zeros from a torn frame.
    private static final int ZEROS = 2 * 1024;
    private static final int ZEROS_EVERY = 4;
    private static final int MAX_PROBLEMS = 5;

    private final List<Turn> turns = new ArrayList<>();

    /** The records that a writer appended, and those that were acknowledged. */
    private static final class Turn
    {
        private final long epoch;
        private final long first;
        private long last;
        private long acknowledged;

        private Turn(final long epoch, final long first)
        {
            this.epoch = epoch;
            this.first = first;
            last = first - 1;
            acknowledged = first - 1;
        }
    }

    /** A writer has opened the journal, and found these records committed. */
    synchronized void opened(final long epoch, final long lastSequence)
    {
        turns.add(new Turn(epoch, lastSequence + 1));
    }

    synchronized void appended(final long epoch, final long sequence)
    {
        turn(epoch).last = sequence;
    }

    synchronized void acknowledged(final long epoch, final long sequence)
    {
        turn(epoch).acknowledged = Math.max(turn(epoch).acknowledged, sequence);
    }

    /** {@return the sequence of the newest record that was acknowledged to any writer} */
    synchronized long acknowledged()
    {
        return turns.stream().mapToLong((turn) -> turn.acknowledged).max().orElse(0);
    }

    private Turn turn(final long epoch)
    {
        return turns.stream().filter((turn) -> epoch == turn.epoch).findFirst().orElseThrow();
    }

    /** {@return the bytes of a record} */
    static byte[] record(final long epoch, final long sequence)
    {
        final SplittableRandom random = new SplittableRandom(epoch * 1_000_003 + sequence);
        final byte[] record = new byte[random.nextInt(MIN_LENGTH, MAX_LENGTH)];
        random.nextBytes(record);
        return 0 == sequence % ZEROS_EVERY ? Arrays.copyOf(record, record.length + ZEROS) : record;
    }

    /**
     * {@return the first few errors in a member's journal; empty if it agrees}
     *
     * @param directory of the journal.
     * @param from      sequence of the first record to look at.
     * @param to        sequence that the journal must have reached at least.
     */
    synchronized List<String> problems(final Path directory, final long from, final long to)
    {
        final List<String> problems = new ArrayList<>();
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory); JournalReader reader = journal.openReader())
        {
            final long first = Math.max(from, journal.firstSequence());
            final long[] next = { first };
            if (first <= journal.lastSequence())
            {
                reader.seek(first);
                while (0 < reader.poll(
                    (buffer, offset, length, header) ->
                    {
                        if (header.sequence() != next[0]++)
                        {
                            problems.add("sequence " + header.sequence() + ", expected " + (next[0] - 1));
                        }
                        final String problem = problem(header.sequence(), header.tag(), buffer, offset, length);
                        if (null != problem && problems.size() < MAX_PROBLEMS)
                        {
                            problems.add(problem);
                        }
                    }, 1_000) && problems.size() < MAX_PROBLEMS)
                {
                    // More records may follow.
                    continue;
                }
            }

            if (next[0] <= to)
            {
                problems.add("lost: the journal ends before " + next[0] + ", expected " + to);
            }
        }

        return problems;
    }

    /** {@return the sequence of the first record in a member's journal} */
    static long firstSequence(final Path directory)
    {
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory))
        {
            return journal.firstSequence();
        }
    }

    /** {@return the CRC32C of a range of records, with their sequences and tags} */
    static long checksum(final Path directory, final long from, final long to)
    {
        final CRC32C crc = new CRC32C();
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[2 * Long.BYTES + MAX_LENGTH + ZEROS]);
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory); JournalReader reader = journal.openReader())
        {
            reader.seek(from);
            while (reader.nextSequence() <= to && 0 < reader.poll(
                (buffer, offset, length, header) ->
                {
                    copy.putLong(0, header.sequence());
                    copy.putLong(Long.BYTES, header.tag());
                    buffer.getBytes(offset, copy, 2 * Long.BYTES, length);
                    crc.update(copy.byteArray(), 0, 2 * Long.BYTES + length);
                }, (int)Math.min(1_000, to - reader.nextSequence() + 1)))
            {
                // More records may follow.
                continue;
            }
        }
        return crc.getValue();
    }

    private String problem(
        final long sequence, final long tag, final DirectBuffer buffer, final int offset, final int length)
    {
        // The last writer in whose range the record is: it fenced those before it.
        Turn writer = null;
        for (final Turn turn : turns)
        {
            writer = sequence >= turn.first ? turn : writer;
        }
        if (null == writer || writer.epoch != tag || sequence > writer.last)
        {
            return "record " + sequence + " by writer " + tag + ", expected " + (null == writer ? 0 : writer.epoch);
        }

        for (final Turn turn : turns)
        {
            if (turn.epoch < writer.epoch && turn.acknowledged >= writer.first)
            {
                return "acknowledged by fenced writer " + turn.epoch + ": " + turn.acknowledged;
            }
        }

        final byte[] expected = record(tag, sequence);
        final byte[] found = new byte[length];
        buffer.getBytes(offset, found);
        return java.util.Arrays.equals(expected, found) ? null : "other bytes in record " + sequence;
    }
}
