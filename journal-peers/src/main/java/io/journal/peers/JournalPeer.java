package io.journal.peers;

import java.nio.ByteOrder;
import java.time.Duration;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.Retention;
import io.journal.store.Backend;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;

/**
 * This journal, with its default settings but for backend, segment length and what a case is about.
 */
final class JournalPeer implements Peer
{
    private static final long FIRST_SEQUENCE = 1;
    private static final int RETAINED_SEGMENTS = 8;

    private final Journal journal;
    private final JournalAppender appender;
    // Of a journal whose appending thread does not fsync itself: one of these.
    private final boolean isNotified;
    private final ForcingThread forcing;
    private volatile long forced;

    JournalPeer(final PeerSettings settings, final Backend backend, final JournalReader.Verification verification)
    {
        this(settings, builder(settings, backend).verification(verification),
            Workload.PIPELINED == settings.workload(), false);
    }

    private JournalPeer(
        final PeerSettings settings, final JournalBuilder builder, final boolean isNotified,
        final boolean isForcedByAnother)
    {
        this.isNotified = isNotified;
        journal = builder.force(isNotified ? ForcePolicy.every(Duration.ZERO) : ForcePolicy.manual()).open();
        appender = settings.workload().isShared() ? journal.sharedAppender() : journal.appender();
        if (isNotified)
        {
            forced = journal.lastSequence();
            journal.onForced((sequence) -> forced = sequence);
        }
        forcing = isForcedByAnother ? new ForcingThread(journal) : null;
    }

    /** The same for one thread that forces what it waits for, instead of being notified. */
    static JournalPeer thatWaits(final PeerSettings settings)
    {
        return new JournalPeer(settings, builder(settings, Backend.MAPPED), false, false);
    }

    /** The same for a thread whose records another thread of the application forces. */
    static JournalPeer withForcingThread(final PeerSettings settings)
    {
        return new JournalPeer(settings, builder(settings, Backend.MAPPED), false, true);
    }

    /** The same with a retention, and the files of removed segments recycled. */
    static JournalPeer thatRecycles(final PeerSettings settings)
    {
        return new JournalPeer(
            settings, builder(settings, Backend.MAPPED).recycleSegments(true)
                .retention(Retention.bytes((long)RETAINED_SEGMENTS * settings.segmentLength())),
            false, false);
    }

    private static JournalBuilder builder(final PeerSettings settings, final Backend backend)
    {
        return Journal.builder(settings.directory()).backend(backend).segmentLength(settings.segmentLength());
    }

    @Override
    public long removed()
    {
        return journal.firstSequence() - FIRST_SEQUENCE;
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length)
    {
        appender.append(bytes, offset, length);
    }

    @Override
    public void flush()
    {
        // Each record is in the page cache: without a setting, neither backend has a write window.
    }

    @Override
    public void appendDurably(final byte[] bytes, final int offset, final int length)
    {
        journal.awaitForced(appender.append(bytes, offset, length));
    }

    @Override
    public void appendPipelined(final byte[] bytes, final int offset, final int length, final int inFlight)
    {
        final long sequence = appender.append(bytes, offset, length);
        final long durable = sequence - inFlight + 1;
        if (null != forcing)
        {
            forcing.appended(sequence);
            while (forcing.forced() < durable)
            {
                Thread.onSpinWait();
            }
        }
        else if (isNotified)
        {
            while (forced < durable)
            {
                Thread.onSpinWait();
            }
        }
        else if (durable >= journal.firstSequence())
        {
            journal.awaitForced(durable);
        }
    }

    @Override
    public Lookup openLookup()
    {
        final long first = journal.firstSequence();
        final ThreadLocal<Passing> passing = ThreadLocal.withInitial(Passing::new);
        return (number, visitor) -> journal.get(first + number, passing.get().to(visitor));
    }

    @Override
    public Follower openFollower()
    {
        return new ReaderFollower(journal.openReader(), new Passing());
    }

    @Override
    public void replay(final Visitor visitor)
    {
        final Passing passing = new Passing();
        passing.visitor = visitor;
        try (JournalReader reader = journal.openReader())
        {
            while (reader.poll(passing, Integer.MAX_VALUE) > 0)
            {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close()
    {
        CloseHelper.close(forcing);
        journal.close();
    }

    /** Passes what a visitor receives. */
    private static final class Passing implements RecordHandler
    {
        private Visitor visitor;

        Passing to(final Visitor next)
        {
            visitor = next;
            return this;
        }

        @Override
        public void onRecord(final DirectBuffer buffer, final int offset, final int length, final Header header)
        {
            visitor.visit(
                buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN),
                buffer.getLong(offset + length - Long.BYTES, ByteOrder.LITTLE_ENDIAN), length);
        }
    }

    /** A reader that tails the journal. */
    private record ReaderFollower(JournalReader reader, Passing passing) implements Follower
    {
        @Override
        public void poll(final Visitor visitor)
        {
            passing.visitor = visitor;
            reader.poll(passing, Integer.MAX_VALUE);
        }

        @Override
        public void close()
        {
            reader.close();
        }
    }
}
