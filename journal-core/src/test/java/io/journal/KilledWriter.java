package io.journal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

import io.journal.store.Backend;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A process that appends until it is killed, and says on its standard output which records it was promised.
 * <p>
 * What it writes there: 0 once it has opened the journal and read it, then the sequence of each record that is to be
 * found again whatever happens. Records tell what they have to hold.
 */
public final class KilledWriter
{
    private static final int OVERHEAD = 8 + 8 + 4;
    private static final int MAX_LENGTH = 20_000;
    private static final int MAX_BATCH = 8;
    private static final int THREADS = 4;

    private final Journal journal;
    private final SplittableRandom random;
    private final long seed;
    private final boolean isForced;
    private final OutputStream output = new FileOutputStream(FileDescriptor.out);
    private final ByteBuffer sequenceBytes = ByteBuffer.allocate(8);

    private KilledWriter(final Journal journal, final long seed, final boolean isForced)
    {
        this.journal = journal;
        this.seed = seed;
        this.isForced = isForced;
        random = new SplittableRandom(seed);
    }

    /**
     * Runs until killed.
     *
     * @param args directory, backend, length of the write window, seed, whether a promise is a force, and whether
     *             several threads append.
     */
    public static void main(final String[] args) throws IOException
    {
        final Journal journal = builder(Path.of(args[0]), Backend.valueOf(args[1]))
            .writeWindow(Integer.parseInt(args[2]))
            .open();
        final KilledWriter writer =
            new KilledWriter(journal, Long.parseLong(args[3]), Boolean.parseBoolean(args[4]));
        writer.verify();
        writer.promise(0);
        if (Boolean.parseBoolean(args[5]))
        {
            writer.runShared();
        }
        else
        {
            writer.run();
        }
    }

    static JournalBuilder builder(final Path path, final Backend backend)
    {
        return Journal.builder(path).backend(backend).segmentLength(JournalDirectory.SEGMENT_LENGTH);
    }

    private void verify()
    {
        try (JournalReader reader = journal.openReader())
        {
            final long[] expected = { 1 };
            while (reader.poll(
                (buffer, offset, length, header) -> check(buffer, offset, length, expected[0]++), 1000) > 0)
            {
                assert expected[0] > 1;
            }
            if (expected[0] != journal.lastSequence() + 1)
            {
                throw new IllegalStateException("read up to " + expected[0] + " of " + journal);
            }
        }
    }

    private void run() throws IOException
    {
        long promised = journal.lastSequence();
        while (true)
        {
            final long sequence = 0 == random.nextInt(6) ? appendBatch() : append(length());
            if (isForced)
            {
                // Some wait for each record, some for many at once.
                if (random.nextInt(4) == 0)
                {
                    journal.awaitForced(sequence);
                    while (promised < sequence)
                    {
                        promise(++promised);
                    }
                }
            }
            else
            {
                // All records of a batch; that the highest is promised is what counts.
                promise(sequence);
                if (random.nextInt(50) == 0)
                {
                    journal.force();
                }
            }
        }
    }

    /**
     * Several threads append, some of them batches, and promise what was written, or forced, by then. What they append
     * does not tell its sequence, which they do not know before.
     */
    private void runShared()
    {
        final SharedAppender appender = journal.sharedAppender();
        for (int i = 0; i < THREADS; i++)
        {
            final SplittableRandom random = this.random.split();
            new Thread(() -> runSharing(appender, random)).start();
        }
    }

    private void runSharing(final SharedAppender appender, final SplittableRandom random)
    {
        final RecordBatch batch = new RecordBatch();
        try
        {
            while (true)
            {
                final long sequence;
                if (0 == random.nextInt(4))
                {
                    batch.clear();
                    final int count = 1 + random.nextInt(MAX_BATCH);
                    for (int i = 0; i < count; i++)
                    {
                        // Tells its place, so that half a batch would be noticed.
                        batch.add(seed, record(seed, -(i * 100L + count), random.nextInt(300)));
                    }
                    sequence = appender.append(batch);
                }
                else
                {
                    sequence = appender.append(seed, record(seed, 0, random.nextInt(500)));
                }
                if (isForced)
                {
                    journal.awaitForced(sequence);
                }
                promise(sequence);
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private int length()
    {
        switch (random.nextInt(20))
        {
            case 0:
                return random.nextInt(MAX_LENGTH);

            case 1:
                return 0;

            default:
                return random.nextInt(500);
        }
    }

    private long append(final int length)
    {
        final JournalAppender appender = journal.appender();
        final long sequence = journal.lastSequence() + 1;
        if (random.nextInt(3) > 0)
        {
            return appender.append(seed, record(seed, sequence, length), 0, length + OVERHEAD);
        }

        if (random.nextInt(4) == 0)
        {
            try (RecordClaim claim = appender.claim(random.nextInt(MAX_LENGTH)))
            {
                fill(claim.buffer(), (byte)random.nextInt());
            }
        }
        try (RecordClaim claim = appender.claim(length + OVERHEAD))
        {
            claim.buffer().putBytes(0, record(seed, sequence, length));
            return claim.tag(seed).commit();
        }
    }

    /**
     * @return sequence of the last record.
     */
    private long appendBatch()
    {
        final RecordBatch batch = new RecordBatch();
        final long first = journal.lastSequence() + 1;
        final int count = 1 + random.nextInt(MAX_BATCH);
        for (int i = 0; i < count; i++)
        {
            batch.add(seed, record(seed, first + i, random.nextInt(600)));
        }
        return journal.appender().append(batch);
    }

    private static void fill(final MutableDirectBuffer buffer, final byte value)
    {
        buffer.setMemory(0, buffer.capacity(), value);
    }

    private synchronized void promise(final long sequence) throws IOException
    {
        output.write(sequenceBytes.putLong(0, sequence).array());
    }

    /**
     * A record that tells its sequence, and whose other bytes follow from that, a seed and the length.
     */
    private static byte[] record(final long seed, final long sequence, final int length)
    {
        final byte[] bytes = new byte[length + OVERHEAD];
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        buffer.putLong(0, seed);
        buffer.putLong(8, sequence);
        final SplittableRandom random = new SplittableRandom(seed ^ sequence * 0x9E3779B97F4A7C15L);
        for (int i = 16; i < 16 + length; i++)
        {
            bytes[i] = (byte)random.nextInt();
        }
        final CRC32C crc = new CRC32C();
        crc.update(bytes, 0, 16 + length);
        buffer.putInt(16 + length, (int)crc.getValue());
        return bytes;
    }

    /**
     * Checks that a record is what its writer appended under a sequence.
     *
     * @return seed of its writer.
     */
    static long check(final DirectBuffer buffer, final int offset, final int length, final long sequence)
    {
        final byte[] found = new byte[length];
        buffer.getBytes(offset, found);
        final long seed = ByteBuffer.wrap(found).getLong(0);
        final long told = ByteBuffer.wrap(found).getLong(8);
        // Who shared an appender did not know the sequence.
        if (told > 0 && told != sequence || !Arrays.equals(record(seed, told, length - OVERHEAD), found))
        {
            throw new IllegalStateException("not the record that was appended: sequence=" + sequence);
        }

        return seed;
    }

    /**
     * Of a record that was appended in a batch by one of several threads: how many of its batch follow.
     *
     * @return the number; 0 for other records.
     */
    static int following(final DirectBuffer buffer, final int offset)
    {
        final byte[] bytes = new byte[8];
        buffer.getBytes(offset + 8, bytes);
        final long told = ByteBuffer.wrap(bytes).getLong();
        return told < 0 ? (int)(-told % 100 - -told / 100 - 1) : 0;
    }
}
