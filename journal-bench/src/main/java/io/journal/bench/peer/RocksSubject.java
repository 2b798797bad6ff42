// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.peer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/**
 * RocksDB with the sequence as the key: its write-ahead log is the journal. Tuned for bulk appends as its wiki advises:
 * parallelism, pipelined writes, recycled logs; no compression, as no other peer compresses.
 */
public final class RocksSubject implements Subject
{
    private static final int RECYCLED_LOGS = 4;
    private static final int READAHEAD = 2 * 1024 * 1024;

    static
    {
        RocksDB.loadLibrary();
    }

    private final AtomicLong sequence = new AtomicLong();
    private final ThreadLocal<byte[]> keys = ThreadLocal.withInitial(() -> new byte[Long.BYTES]);
    private final Options options;
    private final WriteOptions buffered = new WriteOptions();
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final int recordLength;
    private final RocksDB database;

    public RocksSubject(final Setup setup) throws Exception
    {
        recordLength = setup.recordLength();
        options = new Options().setCreateIfMissing(true).setEnablePipelinedWrite(true)
            .setRecycleLogFileNum(RECYCLED_LOGS).setCompressionType(CompressionType.NO_COMPRESSION);
        options.setIncreaseParallelism(Runtime.getRuntime().availableProcessors());
        database = RocksDB.open(options, setup.directory().toString());
        try (RocksIterator last = database.newIterator())
        {
            last.seekToLast();
            sequence.set(last.isValid() ? ByteBuffer.wrap(last.key()).getLong() : 0);
        }
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length) throws Exception
    {
        put(buffered, bytes, offset, length);
    }

    private void put(final WriteOptions how, final byte[] bytes, final int offset, final int length) throws Exception
    {
        final byte[] key = keys.get();
        encode(sequence.incrementAndGet(), key);
        database.put(how, key, 0, key.length, bytes, offset, length);
    }

    private static void encode(final long number, final byte[] key)
    {
        long rest = number;
        for (int i = Long.BYTES - 1; i >= 0; i--)
        {
            key[i] = (byte)rest;
            rest >>>= Byte.SIZE;
        }
    }

    @Override
    public Lookup openLookup()
    {
        final ByteBuffer value = ByteBuffer.allocate(recordLength).order(ByteOrder.LITTLE_ENDIAN);
        final byte[] key = new byte[Long.BYTES];
        return (number, visitor) ->
        {
            encode(number + 1, key);
            final int length = database.get(key, value.array());
            visitor.visit(value.getLong(0), value.getLong(length - Long.BYTES), length);
        };
    }

    @Override
    public void appendDurably(final byte[] bytes, final int offset, final int length) throws Exception
    {
        put(synced, bytes, offset, length);
    }

    @Override
    public void replay(final Visitor visitor)
    {
        final ByteBuffer value = ByteBuffer.allocateDirect(recordLength).order(ByteOrder.LITTLE_ENDIAN);
        try (ReadOptions reading = new ReadOptions().setReadaheadSize(READAHEAD).setFillCache(false);
            RocksIterator records = database.newIterator(reading))
        {
            for (records.seekToFirst(); records.isValid(); records.next())
            {
                value.clear();
                final int length = records.value(value);
                visitor.visit(value.getLong(0), value.getLong(length - Long.BYTES), length);
            }
        }
    }

    @Override
    public void close()
    {
        database.close();
        synced.close();
        buffered.close();
        options.close();
    }
}
