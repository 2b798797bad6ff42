package io.journal;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
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
     * @param args directory, backend, length of the write window, seed, and whether a promise is a force.
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
        writer.run();
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
            final long sequence = append(length());
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
                promise(sequence);
                if (random.nextInt(50) == 0)
                {
                    journal.force();
                }
            }
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

    private static void fill(final MutableDirectBuffer buffer, final byte value)
    {
        buffer.setMemory(0, buffer.capacity(), value);
    }

    private void promise(final long sequence) throws IOException
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
        if (!Arrays.equals(record(seed, sequence, length - OVERHEAD), found))
        {
            throw new IllegalStateException("not the record that was appended: sequence=" + sequence);
        }

        return seed;
    }
}
