// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.peer;

import io.aeron.Aeron;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.ArchivingMediaDriver;
import io.aeron.archive.checksum.Checksum;
import io.aeron.archive.checksum.Checksums;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.codecs.SourceLocation;
import io.aeron.archive.status.RecordingPos;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.agrona.concurrent.status.CountersReader;

/**
 * Aeron Archive: records an IPC publication of this process. The media driver shares one thread, and the archive
 * another, as its documentation advises for few processors.
 * <p>
 * A record is durable once the recording position, which advances after the fsync with {@code fileSyncLevel} 1,
 * has reached it. Replay is a stream as well, through the archive and the driver.
 */
public final class ArchiveSubject implements Subject
{
    private static final String IPC = "aeron:ipc";
    private static final int STREAM = 1001;
    private static final int REPLAY_STREAM = 1002;
    private static final int MAX_TERM_LENGTH = 64 * 1024 * 1024;
    // Records of 4 KiB fit into one frame.
    private static final int MTU = 8 * 1024;
    private static final int FRAGMENTS = 256;
    private static final int MAX_IN_FLIGHT = 8192;

    private final ThreadLocal<Waiter> waiters = ThreadLocal.withInitial(Waiter::new);
    // State of the only appending thread; null if several threads append.
    private final Waiter only;
    private final ArchivingMediaDriver driver;
    private final AeronArchive archive;
    private final Publication publication;
    private final CountersReader counters;
    private final int recordingCounter;
    private final long recording;
    private final long[] inFlightEnds = new long[MAX_IN_FLIGHT];
    private long pipelined;

    public ArchiveSubject(final Setup setup)
    {
        final boolean isChecked = setup.args().is("checksum");
        final String shared = setup.memory().resolve("aeron").toString();
        driver = ArchivingMediaDriver.launch(
            driverContext(shared, setup.segmentLength()), archiveContext(setup, shared, isChecked));
        archive = AeronArchive.connect(new AeronArchive.Context().aeronDirectoryName(shared)
            .controlRequestChannel(IPC).controlResponseChannel(IPC));
        archive.startRecording(IPC, STREAM, SourceLocation.LOCAL);
        final Aeron aeron = archive.context().aeron();
        only = setup.workload().isShared() ? null : new Waiter();
        publication = null == only ? aeron.addPublication(IPC, STREAM) : aeron.addExclusivePublication(IPC, STREAM);
        counters = aeron.countersReader();
        recordingCounter = awaitRecording(publication.sessionId());
        recording = RecordingPos.getRecordingId(counters, recordingCounter);
    }

    private static MediaDriver.Context driverContext(final String shared, final int segmentLength)
    {
        return new MediaDriver.Context().aeronDirectoryName(shared).dirDeleteOnStart(true).dirDeleteOnShutdown(true)
            .threadingMode(ThreadingMode.SHARED).ipcTermBufferLength(Math.min(segmentLength, MAX_TERM_LENGTH))
            .termBufferSparseFile(false).ipcMtuLength(MTU);
    }

    private static Archive.Context archiveContext(
        final Setup setup, final String shared, final boolean isChecked)
    {
        final Checksum checksum = isChecked ? Checksums.crc32c() : null;
        final int syncLevel = setup.workload().isDurable() ? 1 : 0;
        return new Archive.Context().aeronDirectoryName(shared)
            .archiveDir(setup.directory().toFile()).segmentFileLength(setup.segmentLength())
            .threadingMode(ArchiveThreadingMode.SHARED).idleStrategySupplier(() -> YieldingIdleStrategy.INSTANCE)
            .fileSyncLevel(syncLevel).catalogFileSyncLevel(syncLevel)
            .recordChecksum(checksum).replayChecksum(checksum)
            .controlChannelEnabled(false).archiveClientContext(new AeronArchive.Context().controlResponseChannel(IPC))
            .replicationChannel("aeron:udp?endpoint=localhost:0");
    }

    private int awaitRecording(final int session)
    {
        int found = CountersReader.NULL_COUNTER_ID;
        while (CountersReader.NULL_COUNTER_ID == found)
        {
            Thread.yield();
            found = RecordingPos.findCounterIdBySession(counters, session, archive.archiveId());
        }
        return found;
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length)
    {
        offer(null == only ? waiters.get() : only, bytes, offset, length);
    }

    /** Returns the position after the record. */
    private long offer(final Waiter waiter, final byte[] bytes, final int offset, final int length)
    {
        if (waiter.source.byteArray() != bytes)
        {
            waiter.source.wrap(bytes);
        }
        long position = publication.offer(waiter.source, offset, length);
        while (position < 0)
        {
            if (Publication.CLOSED == position || Publication.MAX_POSITION_EXCEEDED == position)
            {
                throw new IllegalStateException("the archive takes no more records: position=" + position);
            }
            // Back pressure: the recording is behind.
            Thread.yield();
            position = publication.offer(waiter.source, offset, length);
        }
        return position;
    }

    @Override
    public void flush()
    {
        awaitRecorded(publication.position(), YieldingIdleStrategy.INSTANCE);
    }

    private void awaitRecorded(final long position, final IdleStrategy idling)
    {
        idling.reset();
        while (counters.getCounterValue(recordingCounter) < position)
        {
            idling.idle();
        }
    }

    @Override
    public void appendDurably(final byte[] bytes, final int offset, final int length)
    {
        final Waiter waiter = null == only ? waiters.get() : only;
        awaitRecorded(offer(waiter, bytes, offset, length), waiter.idling);
    }

    @Override
    public void appendPipelined(final byte[] bytes, final int offset, final int length, final int inFlight)
    {
        inFlightEnds[(int)(pipelined % MAX_IN_FLIGHT)] = offer(only, bytes, offset, length);
        final long durable = pipelined - inFlight + 1;
        pipelined++;
        if (durable >= 0)
        {
            awaitRecorded(inFlightEnds[(int)(durable % MAX_IN_FLIGHT)], YieldingIdleStrategy.INSTANCE);
        }
    }

    @Override
    public Follower openFollower()
    {
        final Subscription subscription = archive.context().aeron().addSubscription(IPC, STREAM);
        while (!subscription.isConnected())
        {
            Thread.yield();
        }
        return (visitor) -> subscription.poll(
            (buffer, offset, length, header) -> visitor.visit(buffer, offset, length), FRAGMENTS) > 0;
    }

    @Override
    public void replay(final Visitor visitor)
    {
        final long end = counters.getCounterValue(recordingCounter);
        final FragmentHandler handler = (buffer, offset, length, header) -> visitor.visit(buffer, offset, length);
        try (Subscription subscription = archive.replay(recording, 0, end, IPC, REPLAY_STREAM))
        {
            while (!subscription.isConnected())
            {
                Thread.yield();
            }
            final Image image = subscription.imageAtIndex(0);
            while (image.position() < end)
            {
                if (0 == image.poll(handler, FRAGMENTS))
                {
                    Thread.yield();
                }
            }
        }
    }

    @Override
    public void close()
    {
        archive.close();
        driver.close();
    }

    /**
     * Waits in a thread that appends durably. It parks, because the archive's thread hardly runs if many threads only
     * yield.
     */
    private static final class Waiter
    {
        private static final int SPINS = 10;
        private static final int YIELDS = 5;
        private static final long MIN_PARK_NS = 1000;
        private static final long MAX_PARK_NS = 50_000;

        private final UnsafeBuffer source = new UnsafeBuffer();
        private final IdleStrategy idling = new BackoffIdleStrategy(SPINS, YIELDS, MIN_PARK_NS, MAX_PARK_NS);
    }
}
