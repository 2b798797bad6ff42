package io.journal.examples.cqrs;

import java.nio.ByteOrder;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import io.journal.JournalAppender;

/**
 * Encodes and decodes events. The tag of a record identifies the event and its version:
 *
 * <pre>
 *  tag      event           record: int64 each, little-endian
 *  0x0101   AccountOpened   accountId                                  (no longer written)
 *  0x0102   AccountOpened   accountId, openedAtMs
 *  0x0201   Deposited       accountId, amountCents
 *  0x0301   Withdrawn       accountId, amountCents
 *  0x0401   Transferred     fromAccountId, toAccountId, amountCents
 * </pre>
 *
 * Stored events are never rewritten. A tag keeps its layout forever, a new layout gets a new tag, and an old version is
 * converted to the current event when it is decoded. So no other class has to know about versions.
 * <p>
 * Decoding is thread-safe; encoding is not.
 */
final class EventCodec implements Event.Visitor
{
    static final long ACCOUNT_OPENED_V1 = 0x0101;
    static final long ACCOUNT_OPENED = 0x0102;
    static final long DEPOSITED = 0x0201;
    static final long WITHDRAWN = 0x0301;
    static final long TRANSFERRED = 0x0401;

    private static final long UNKNOWN_TIME = 0;
    private static final int MAX_LENGTH = 3 * Long.BYTES;

    private final MutableDirectBuffer buffer = JournalAppender.wrap(new byte[MAX_LENGTH]);
    private int length;
    private long tag;

    /**
     * Encodes an event. {@link #tag()}, {@link #buffer()} and {@link #length()} return it until the next call.
     */
    void encode(final Event event)
    {
        event.accept(this);
    }

    long tag()
    {
        return tag;
    }

    DirectBuffer buffer()
    {
        return buffer;
    }

    int length()
    {
        return length;
    }

    @Override
    public void on(final Event.AccountOpened event)
    {
        begin(ACCOUNT_OPENED);
        put(event.accountId());
        put(event.openedAtMs());
    }

    @Override
    public void on(final Event.Deposited event)
    {
        begin(DEPOSITED);
        put(event.accountId());
        put(event.amountCents());
    }

    @Override
    public void on(final Event.Withdrawn event)
    {
        begin(WITHDRAWN);
        put(event.accountId());
        put(event.amountCents());
    }

    @Override
    public void on(final Event.Transferred event)
    {
        begin(TRANSFERRED);
        put(event.fromAccountId());
        put(event.toAccountId());
        put(event.amountCents());
    }

    /**
     * Decodes a record.
     *
     * @throws IllegalStateException if the record is not an event of this application. Skipping it would silently lead
     *                               to a wrong state.
     */
    static Event decode(final long tag, final DirectBuffer buffer, final int offset, final int length)
    {
        // Java cannot switch on a long.
        if (ACCOUNT_OPENED == tag)
        {
            checkLength(tag, length, 2);
            return new Event.AccountOpened(get(buffer, offset, 0), get(buffer, offset, 1));
        }
        else if (DEPOSITED == tag)
        {
            checkLength(tag, length, 2);
            return new Event.Deposited(get(buffer, offset, 0), get(buffer, offset, 1));
        }
        else if (WITHDRAWN == tag)
        {
            checkLength(tag, length, 2);
            return new Event.Withdrawn(get(buffer, offset, 0), get(buffer, offset, 1));
        }
        else if (TRANSFERRED == tag)
        {
            checkLength(tag, length, 3);
            return new Event.Transferred(get(buffer, offset, 0), get(buffer, offset, 1), get(buffer, offset, 2));
        }
        else if (ACCOUNT_OPENED_V1 == tag)
        {
            checkLength(tag, length, 1);
            return new Event.AccountOpened(get(buffer, offset, 0), UNKNOWN_TIME);
        }

        throw new IllegalStateException(
            "unknown event: tag=0x" + Long.toHexString(tag) + ", length=" + length +
                "; a newer version of this program may have written it");
    }

    private void begin(final long tag)
    {
        this.tag = tag;
        length = 0;
    }

    private void put(final long value)
    {
        buffer.putLong(length, value, ByteOrder.LITTLE_ENDIAN);
        length += Long.BYTES;
    }

    private static long get(final DirectBuffer buffer, final int offset, final int field)
    {
        return buffer.getLong(offset + field * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
    }

    private static void checkLength(final long tag, final int length, final int fields)
    {
        if (length != fields * Long.BYTES)
        {
            throw new IllegalStateException(
                "malformed event: tag=0x" + Long.toHexString(tag) + ", expected=" + fields * Long.BYTES +
                    " bytes, found=" + length);
        }
    }
}
