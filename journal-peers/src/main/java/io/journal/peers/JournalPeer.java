package io.journal.peers;

import java.nio.ByteOrder;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.store.Backend;

/**
 * This journal, with its default settings but for backend and segment length.
 */
final class JournalPeer implements Peer
{
    private final Journal journal;
    private final JournalAppender appender;

    JournalPeer(final PeerSettings settings, final Backend backend)
    {
        journal = Journal.builder(settings.directory()).backend(backend).segmentLength(settings.segmentLength()).open();
        appender = settings.isDurable() ? journal.sharedAppender() : journal.appender();
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
    public void replay(final Visitor visitor)
    {
        try (JournalReader reader = journal.openReader())
        {
            while (reader.poll(
                (buffer, offset, length, header) -> visitor.visit(
                    buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN),
                    buffer.getLong(offset + length - Long.BYTES, ByteOrder.LITTLE_ENDIAN), length),
                Integer.MAX_VALUE) > 0)
            {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close()
    {
        journal.close();
    }
}
