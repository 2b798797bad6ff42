// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.peer;

import java.util.Objects;

import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;

/**
 * Chronicle Queue with its default roll cycle and an appender for each thread. It rolls by time, not by length,
 * and maps a block where others begin a segment. The pretoucher that its documentation advises is not in the
 * open-source edition.
 */
public final class ChronicleSubject implements Subject
{
    private final ChronicleQueue queue;
    private final ThreadLocal<ExcerptAppender> appenders;
    private final ExcerptAppender appender;
    private final boolean isShared;

    public ChronicleSubject(final Setup setup)
    {
        isShared = setup.workload().isShared();
        queue = SingleChronicleQueueBuilder.binary(setup.directory()).blockSize(setup.segmentLength())
            .syncMode(SyncMode.SYNC).build();
        appenders = ThreadLocal.withInitial(queue::createAppender);
        appender = queue.createAppender();
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length)
    {
        append(isShared ? appenders.get() : appender, bytes, offset, length);
    }

    private static void append(
        final ExcerptAppender appender, final byte[] bytes, final int offset, final int length)
    {
        try (DocumentContext document = appender.writingDocument())
        {
            Objects.requireNonNull(document.wire()).bytes().write(bytes, offset, length);
        }
    }

    @Override
    public void appendDurably(final byte[] bytes, final int offset, final int length)
    {
        final ExcerptAppender own = appenders.get();
        append(own, bytes, offset, length);
        own.sync();
    }

    @Override
    public void replay(final Visitor visitor)
    {
        try (ExcerptTailer tailer = queue.createTailer())
        {
            boolean isRead = true;
            while (isRead)
            {
                isRead = read(tailer, visitor);
            }
        }
    }

    private static boolean read(final ExcerptTailer tailer, final Visitor visitor)
    {
        try (DocumentContext document = tailer.readingDocument())
        {
            if (!document.isPresent())
            {
                return false;
            }
            final Bytes<?> bytes = Objects.requireNonNull(document.wire()).bytes();
            final long start = bytes.readPosition();
            final int length = (int)bytes.readRemaining();
            visitor.visit(bytes.readLong(start), bytes.readLong(start + length - Long.BYTES), length);
            return true;
        }
    }

    /** Turns off the check that a tailer is used by the thread that opened it. */
    private ExcerptTailer openTailer()
    {
        final ExcerptTailer tailer = queue.createTailer();
        tailer.singleThreadedCheckDisabled(true);
        return tailer;
    }

    /** Indexes of one roll cycle, here a day, are consecutive. */
    @Override
    public Lookup openLookup()
    {
        final ExcerptTailer tailer = openTailer();
        final long first = queue.firstIndex();
        return (number, visitor) ->
        {
            if (tailer.moveToIndex(first + number))
            {
                read(tailer, visitor);
            }
        };
    }

    @Override
    public Follower openFollower()
    {
        final ExcerptTailer tailer = openTailer();
        return (visitor) -> read(tailer, visitor);
    }

    @Override
    public void close()
    {
        appender.close();
        queue.close();
    }
}
