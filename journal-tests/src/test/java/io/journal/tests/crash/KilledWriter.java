// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.crash;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32C;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.RecoveryReport;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.tests.support.JournalDirectory;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A process that appends until it is killed, and logs acknowledgements to its standard output. It may also truncate,
 * and run a {@link KilledKeeper} that changes the old end of the history.
 * <p>
 * A log entry is a {@link Word} as a byte, a byte of detail, and an int64. Records describe their own content.
 */
public final class KilledWriter
{
    static final int WORD_LENGTH = 1 + 1 + 8;

    private static final int OVERHEAD = 8 + 8 + 4;
    private static final int MAX_LENGTH = 20_000;
    private static final int MAX_BATCH = 8;
    private static final int MAX_CUT = 60;
    private static final int THREADS = 4;

    private final Journal journal;
    private final SplittableRandom random;
    private final boolean isForced;
    private final boolean isChanging;
    private final OutputStream output = new FileOutputStream(FileDescriptor.out);
    private final ByteBuffer word = ByteBuffer.allocate(WORD_LENGTH);
    // Threads that rely on no truncation hold the read lock; a truncation holds the write lock and begins a new era.
    private final ReentrantReadWriteLock cutLock = new ReentrantReadWriteLock();
    private long era;

    /**
     * Messages of the process. Of two messages in a row, the first says that an operation begins, and the second that
     * it has ended.
     */
    enum Word
    {
        /**
         * The journal is open; the value is its last sequence. Detail: 1 if recovery cut a torn tail, 2 if it rewrote
         * records.
         */
        OPENED,
        /** The cursors exist. */
        READY,
        /** The sequence of a record that must be found again, like all records before it. */
        PROMISED,
        /** The last record that the truncation keeps. */
        CUTTING, CUT, UNCUT,
        /** The sequence that the cursor is saved at; detail: the cursor. */
        SAVING, SAVED,
        /** The first sequence that is still needed; then the first sequence that is left. */
        PRUNING, PRUNED,
        /** Detail: the number of the copy. */
        COPYING, COPIED
    }

    private KilledWriter(final Journal journal, final long era, final boolean isForced, final boolean isChanging)
    {
        this.journal = journal;
        this.era = era;
        this.isForced = isForced;
        this.isChanging = isChanging;
        random = new SplittableRandom(era);
    }

    /**
     * Runs until killed.
     *
     * @param args directory, backend, length of the write window, era, whether a promise is a force, and whether
     *             several threads append; if history is to be changed, also where copies are to be put, and whether the
     *             journal drops records by itself.
     */
    public static void main(final String[] args)
    {
        Thread.setDefaultUncaughtExceptionHandler((thread, ex) ->
        {
            ex.printStackTrace();
            Runtime.getRuntime().halt(1);
        });

        final long era = Long.parseLong(args[3]);
        final boolean isChanging = args.length > 6;
        final JournalBuilder builder = builder(Path.of(args[0]), Backend.valueOf(args[1]))
            .writeWindow(Integer.parseInt(args[2]));
        final boolean isRetaining = isChanging && Boolean.parseBoolean(args[7]);
        final Journal journal = (isChanging ? changing(builder, era, isRetaining) : builder).open();
        final KilledWriter writer = new KilledWriter(journal, era, Boolean.parseBoolean(args[4]), isChanging);
        if (!isRetaining)
        {
            // Otherwise the background agent might prune the records while they are read.
            Promises.readAll(journal);
        }
        writer.say(Word.OPENED, describe(journal.recoveryReport()), journal.lastSequence());
        if (isChanging)
        {
            final Path copies = Path.of(args[6]);
            copies.toFile().mkdir();
            final KilledKeeper keeper = new KilledKeeper(
                journal, writer, copies, writer.cutLock.readLock(), writer.random.split());
            writer.say(Word.READY, 0, 0);
            new Thread(keeper).start();
        }
        if (Boolean.parseBoolean(args[5]))
        {
            writer.runShared();
        }
        else
        {
            writer.run();
        }
    }

    public static JournalBuilder builder(final Path path, final Backend backend)
    {
        return Journal.builder(path).backend(backend).writeWindow(0).segmentLength(JournalDirectory.SEGMENT_LENGTH);
    }

    private static JournalBuilder changing(final JournalBuilder builder, final long seed, final boolean isRetaining)
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final ForcePolicy[] policies =
            { ForcePolicy.manual(), ForcePolicy.every(Duration.ofMillis(2)), ForcePolicy.everyRecord() };
        return builder
            .force(policies[random.nextInt(policies.length)])
            .recycleSegments(random.nextBoolean())
            .retention(isRetaining ? Retention.bytes(4 * JournalDirectory.SEGMENT_LENGTH) : Retention.none());
    }

    private static int describe(final RecoveryReport report)
    {
        return (report.tornLength() > 0 ? 1 : 0) | (report.isRewritten() ? 2 : 0);
    }

    private void run()
    {
        while (true)
        {
            final long sequence = 0 == random.nextInt(6) ? appendBatch() : append(length());
            if (!isForced)
            {
                // Announces the last sequence of a batch, which covers the records before it.
                say(Word.PROMISED, 0, sequence);
                if (random.nextInt(50) == 0)
                {
                    journal.force();
                }
            }
            else if (random.nextInt(4) == 0)
            {
                // Some threads wait for each record, others for many records at a time.
                journal.awaitForced(sequence);
                say(Word.PROMISED, 0, sequence);
            }
            changeEnd(random);
        }
    }

    /**
     * Several threads append, some of them batches, and announce the records that were written, or durable, by then.
     * The records do not contain their sequences, which the threads do not know in advance.
     */
    private void runShared()
    {
        final JournalAppender appender = journal.sharedAppender();
        for (int i = 0; i < THREADS; i++)
        {
            final SplittableRandom random = this.random.split();
            new Thread(() -> runSharing(appender, random)).start();
        }
    }

    private void runSharing(final JournalAppender appender, final SplittableRandom random)
    {
        final RecordBatch batch = new RecordBatch();
        while (true)
        {
            final long sequence;
            final long appendedIn;
            cutLock.readLock().lock();
            try
            {
                appendedIn = era;
                sequence = appendSharing(appender, batch, random);
                if (!isForced)
                {
                    say(Word.PROMISED, 0, sequence);
                }
            }
            finally
            {
                cutLock.readLock().unlock();
            }
            if (isForced)
            {
                promiseForced(sequence, appendedIn);
            }
            changeEnd(random);
        }
    }

    private long appendSharing(
        final JournalAppender appender, final RecordBatch batch, final SplittableRandom random)
    {
        if (0 != random.nextInt(4))
        {
            return appender.append(era, record(era, 0, random.nextInt(500)));
        }

        batch.clear();
        final int count = 1 + random.nextInt(MAX_BATCH);
        for (int i = 0; i < count; i++)
        {
            // The record contains its place in the batch, so that half a batch is detected.
            batch.add(era, record(era, -(i * 100L + count), random.nextInt(300)));
        }
        return appender.append(batch);
    }

    private void promiseForced(final long sequence, final long appendedIn)
    {
        RuntimeException refused = null;
        try
        {
            journal.awaitForced(sequence);
        }
        catch (final IllegalArgumentException | IllegalStateException ex)
        {
            // Only a truncation may cause this.
            refused = ex;
        }

        cutLock.readLock().lock();
        try
        {
            if (appendedIn == era)
            {
                if (null != refused)
                {
                    throw refused;
                }
                say(Word.PROMISED, 0, sequence);
            }
        }
        finally
        {
            cutLock.readLock().unlock();
        }
    }

    private void changeEnd(final SplittableRandom random)
    {
        if (isChanging && 0 == random.nextInt(100))
        {
            if (random.nextBoolean())
            {
                cut(random);
            }
            else
            {
                journal.roll();
            }
        }
    }

    private void cut(final SplittableRandom random)
    {
        cutLock.writeLock().lock();
        try
        {
            final long last = journal.lastSequence();
            final long left = Math.max(journal.firstSequence() - 1, last - random.nextInt(MAX_CUT));
            say(Word.CUTTING, 0, left);
            try
            {
                journal.truncateAfter(left);
                era++;
                say(Word.CUT, 0, left);
            }
            catch (final IllegalArgumentException ex)
            {
                // The sequence was in the middle of a batch, or retention has dropped it.
                say(Word.UNCUT, 0, left);
            }
        }
        finally
        {
            cutLock.writeLock().unlock();
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
            return appender.append(era, record(era, sequence, length), 0, length + OVERHEAD);
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
            claim.buffer().putBytes(0, record(era, sequence, length));
            return claim.tag(era).commit();
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
            batch.add(era, record(era, first + i, random.nextInt(600)));
        }
        return journal.appender().append(batch);
    }

    private static void fill(final MutableDirectBuffer buffer, final byte value)
    {
        buffer.setMemory(0, buffer.capacity(), value);
    }

    synchronized void say(final Word said, final int detail, final long value)
    {
        try
        {
            output.write(word.put(0, (byte)said.ordinal()).put(1, (byte)detail).putLong(2, value).array());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** A record that contains its sequence; its other bytes follow from its sequence, era and length. */
    public static byte[] record(final long era, final long sequence, final int length)
    {
        final byte[] bytes = new byte[length + OVERHEAD];
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        buffer.putLong(0, era);
        buffer.putLong(8, sequence);
        final SplittableRandom random = new SplittableRandom(era ^ sequence * 0x9E3779B97F4A7C15L);
        int offset = 16;
        for (; offset <= 16 + length - Long.BYTES; offset += Long.BYTES)
        {
            buffer.putLong(offset, random.nextLong());
        }
        Arrays.fill(bytes, offset, 16 + length, (byte)random.nextInt());
        final CRC32C crc = new CRC32C();
        crc.update(bytes, 0, 16 + length);
        buffer.putInt(16 + length, (int)crc.getValue());
        return bytes;
    }

    /**
     * Checks that a record is what its writer appended under a sequence.
     *
     * @return its era.
     */
    public static long check(final DirectBuffer buffer, final int offset, final int length, final long sequence)
    {
        final byte[] found = new byte[length];
        buffer.getBytes(offset, found);
        final long era = ByteBuffer.wrap(found).getLong(0);
        final long stated = ByteBuffer.wrap(found).getLong(8);
        // Threads that share an appender do not know the sequence.
        if (stated > 0 && stated != sequence || !Arrays.equals(record(era, stated, length - OVERHEAD), found))
        {
            throw new IllegalStateException("not the record that was appended: sequence=" + sequence);
        }

        return era;
    }

    /**
     * Returns how many records of the same batch follow a record that one of several threads appended in a batch.
     *
     * @return the number; 0 for other records.
     */
    static int following(final DirectBuffer buffer, final int offset)
    {
        final byte[] bytes = new byte[8];
        buffer.getBytes(offset + 8, bytes);
        final long stated = ByteBuffer.wrap(bytes).getLong();
        return stated < 0 ? (int)(-stated % 100 - -stated / 100 - 1) : 0;
    }
}
