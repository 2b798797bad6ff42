// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.peer;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.bench.run.Device;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import org.agrona.IoUtil;
import org.apache.activemq.artemis.ArtemisConstants;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.core.io.nio.NIOSequentialFileFactory;
import org.apache.activemq.artemis.core.journal.EncodingSupport;
import org.apache.activemq.artemis.core.journal.IOCompletion;
import org.apache.activemq.artemis.core.journal.Journal;
import org.apache.activemq.artemis.core.journal.LoaderCallback;
import org.apache.activemq.artemis.core.journal.PreparedTransactionInfo;
import org.apache.activemq.artemis.core.journal.RecordInfo;
import org.apache.activemq.artemis.core.journal.impl.JournalImpl;

/**
 * The journal of ActiveMQ Artemis with its NIO files. The timeout of its buffer, which groups fsyncs, is the
 * measured time of a small synchronous write, as {@code artemis create} sets it. Nothing is deleted, so compaction
 * is off.
 * <p>
 * An append that waits for nothing is queued to a thread of the journal; reading records back is loading the
 * journal anew.
 */
public final class ArtemisSubject implements Subject
{
    private static final int MIN_FILES = 2;
    private static final int PROBED_LENGTH = 400 * 1024;
    private static final byte RECORD_TYPE = 1;

    private final AtomicLong id = new AtomicLong();
    private final Setup setup;
    private final int bufferTimeoutNs;
    private final Acknowledgements acknowledgements = new Acknowledgements();
    private Journal journal;

    public ArtemisSubject(final Setup setup) throws Exception
    {
        this.setup = setup;
        bufferTimeoutNs = setup.workload().isDurable() ? syncTimeNs(setup.directory().resolve("probe")) :
            ArtemisConstants.DEFAULT_JOURNAL_BUFFER_TIMEOUT_NIO;
        load((first, last, length) ->
        {
        });
    }

    private static int syncTimeNs(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE))
        {
            IoUtil.fill(channel, 0, PROBED_LENGTH, (byte)0);
            channel.force(true);
            return (int)(Device.forceUs(channel, PROBED_LENGTH) * Unit.NS_PER_US);
        }
    }

    private void load(final Visitor visitor) throws Exception
    {
        final File directory = setup.directory().toFile();
        final NIOSequentialFileFactory files = new NIOSequentialFileFactory(
            directory, true, ArtemisConstants.DEFAULT_JOURNAL_BUFFER_SIZE_NIO, bufferTimeoutNs, 1, false);
        files.setDatasync(true);
        journal = new JournalImpl(
            setup.segmentLength(), MIN_FILES, -1, 0, 0, files, "records", "log", 1);
        journal.start();
        journal.load(new Loading(visitor));
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length) throws Exception
    {
        journal.appendAddRecord(id.incrementAndGet(), RECORD_TYPE, new Slice(bytes, offset, length), false);
    }

    @Override
    public void flush() throws Exception
    {
        journal.flush();
    }

    @Override
    public void appendDurably(final byte[] bytes, final int offset, final int length) throws Exception
    {
        journal.appendAddRecord(id.incrementAndGet(), RECORD_TYPE, new Slice(bytes, offset, length), true);
    }

    @Override
    public void appendPipelined(final byte[] bytes, final int offset, final int length, final int inFlight)
        throws Exception
    {
        final long appended = id.incrementAndGet();
        journal.appendAddRecord(appended, RECORD_TYPE, new Slice(bytes, offset, length), true, acknowledgements);
        acknowledgements.await(appended - inFlight + 1);
    }

    @Override
    public void replay(final Visitor visitor) throws Exception
    {
        journal.stop();
        load(visitor);
    }

    @Override
    public void close() throws IOException
    {
        try
        {
            journal.stop();
        }
        catch (final Exception ex)
        {
            throw new IOException(ex);
        }
    }

    /** Counts records that are durable, in their order. */
    private static final class Acknowledgements implements IOCompletion
    {
        private final AtomicLong count = new AtomicLong();
        private volatile String failure;

        @Override
        public void done()
        {
            count.incrementAndGet();
        }

        @Override
        public void onError(final int code, final String message)
        {
            failure = message;
        }

        @Override
        public void storeLineUp()
        {
            // Called for each record before it is written.
        }

        void await(final long durable)
        {
            while (count.get() < durable)
            {
                if (null != failure)
                {
                    throw new IllegalStateException(failure);
                }
                Thread.onSpinWait();
            }
        }
    }

    private record Slice(byte[] bytes, int offset, int length) implements EncodingSupport
    {
        @Override
        public int getEncodeSize()
        {
            return length;
        }

        @Override
        public void encode(final ActiveMQBuffer buffer)
        {
            buffer.writeBytes(bytes, offset, length);
        }

        @Override
        public void decode(final ActiveMQBuffer buffer)
        {
            throw new UnsupportedOperationException();
        }
    }

    /** Passes loaded records on. */
    private final class Loading implements LoaderCallback
    {
        private final Visitor visitor;

        Loading(final Visitor visitor)
        {
            this.visitor = visitor;
        }

        @Override
        public void addRecord(final RecordInfo info)
        {
            id.set(Math.max(id.get(), info.id));
            visitor.visit(info.data);
        }

        @Override
        public void addPreparedTransaction(final PreparedTransactionInfo transaction)
        {
            throw new IllegalStateException("a transaction that was never appended");
        }

        @Override
        public void deleteRecord(final long deleted)
        {
            throw new IllegalStateException("a deletion that was never appended: id=" + deleted);
        }

        @Override
        public void updateRecord(final RecordInfo info)
        {
            throw new IllegalStateException("an update that was never appended: id=" + info.id);
        }

        @Override
        public void failedTransaction(
            final long transaction, final List<RecordInfo> records, final List<RecordInfo> recordsToDelete)
        {
            throw new IllegalStateException("a transaction that was never appended: id=" + transaction);
        }
    }
}
