// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.codec;

import java.util.UUID;

import io.journal.JournalAppender;
import io.journal.RecordHandler;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.Event;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Encodes and decodes events. The record's tag is the kind of event, so that tools can select events by kind:
 * {@code journal dump --tag 4}. Integers are little-endian.
 *
 * <pre>
 * offset  every event
 *      0  int32          version of the layout
 *      4  int64, int64   id of the command: high bits, low bits
 *     20  int64          account
 *
 *         tag 1, account opened
 *     28  int64          when, in milliseconds since 1970-01-01 UTC    since version 1
 *     36  UTF-8          owner, to the end of the record               since version 1
 *
 *         tag 2, deposited; tag 3, withdrawn
 *     28  int64          amount in cents
 *
 *         tag 4, transferred
 *     28  int64          account that the money went to
 *     36  int64          amount in cents
 * </pre>
 *
 * Stored events are never rewritten. A new version only adds fields at the end, and an old event is converted to the
 * current one when it is decoded (upcasting), so no other class has to know about versions. Not thread-safe.
 */
public final class EventCodec
{
    // Part of the stored format: the meaning of a value never changes, and a retired value is never reused.
    private static final int OPENED = 1;
    private static final int DEPOSITED = 2;
    private static final int WITHDRAWN = 3;
    private static final int TRANSFERRED = 4;

    private static final int VERSION = 1;
    private static final int VERSION_OFFSET = 0;
    private static final int ID_HIGH_OFFSET = 4;
    private static final int ID_LOW_OFFSET = 12;
    private static final int ACCOUNT_OFFSET = 20;
    /** Offset of the first field that only some events have. */
    private static final int BODY_OFFSET = 28;
    private static final int SECOND_OFFSET = 36;
    private static final int THIRD_OFFSET = 44;

    private static final int MAX_BYTES_PER_CHARACTER = 3;
    private static final int MAX_LENGTH = SECOND_OFFSET + MAX_BYTES_PER_CHARACTER * Command.MAX_OWNER_LENGTH;

    /** The content of a record: the id of the command that caused the event, and the event in its current version. */
    public record StoredEvent(UUID commandId, Event event)
    {
    }

    private final MutableDirectBuffer encoded = JournalAppender.wrap(new byte[MAX_LENGTH]);

    /** Appends the event of a command; {@return its sequence} On return the event is not durable yet. */
    public long append(final JournalAppender appender, final UUID commandId, final Event event)
    {
        encoded.putInt(VERSION_OFFSET, VERSION, LITTLE_ENDIAN);
        encoded.putLong(ID_HIGH_OFFSET, commandId.getMostSignificantBits(), LITTLE_ENDIAN);
        encoded.putLong(ID_LOW_OFFSET, commandId.getLeastSignificantBits(), LITTLE_ENDIAN);
        encoded.putLong(ACCOUNT_OFFSET, event.accountId(), LITTLE_ENDIAN);
        final int length;
        if (event instanceof Event.AccountOpened opened)
        {
            encoded.putLong(BODY_OFFSET, opened.openedAtMs(), LITTLE_ENDIAN);
            length = SECOND_OFFSET + encoded.putStringWithoutLengthUtf8(SECOND_OFFSET, opened.owner());
        }
        else if (event instanceof Event.Transferred transferred)
        {
            encoded.putLong(BODY_OFFSET, transferred.toAccountId(), LITTLE_ENDIAN);
            encoded.putLong(SECOND_OFFSET, transferred.cents(), LITTLE_ENDIAN);
            length = THIRD_OFFSET;
        }
        else
        {
            encoded.putLong(BODY_OFFSET, event.cents(), LITTLE_ENDIAN);
            length = SECOND_OFFSET;
        }
        return appender.append(tag(event.kind()), encoded, 0, length);
    }

    /**
     * {@return the event in a record, and the id of its command} The parameters are those of a {@link RecordHandler}.
     * Throws if the record is not an event of this application, or if its version is newer: skipping it would silently
     * lead to a wrong state.
     */
    public StoredEvent decode(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        check(length >= BODY_OFFSET, length, header);
        final int version = buffer.getInt(offset + VERSION_OFFSET, LITTLE_ENDIAN);
        check(version >= 0 && version <= VERSION, length, header);
        final UUID commandId =
            new UUID(number(buffer, offset + ID_HIGH_OFFSET), number(buffer, offset + ID_LOW_OFFSET));
        final long accountId = number(buffer, offset + ACCOUNT_OFFSET);
        final Event event;
        if (OPENED == header.tag() && 0 == version)
        {
            // Upcasting: in version 0 accounts had neither a time nor an owner.
            check(BODY_OFFSET == length, length, header);
            event = new Event.AccountOpened(accountId, "Account " + accountId, 0);
        }
        else if (OPENED == header.tag())
        {
            check(length > SECOND_OFFSET, length, header);
            final String owner =
                buffer.getStringWithoutLengthUtf8(offset + SECOND_OFFSET, length - SECOND_OFFSET);
            event = new Event.AccountOpened(accountId, owner, number(buffer, offset + BODY_OFFSET));
        }
        else if (TRANSFERRED == header.tag())
        {
            check(THIRD_OFFSET == length, length, header);
            event = new Event.Transferred(
                accountId, number(buffer, offset + BODY_OFFSET), number(buffer, offset + SECOND_OFFSET));
        }
        else
        {
            check(DEPOSITED == header.tag() || WITHDRAWN == header.tag(), length, header);
            check(SECOND_OFFSET == length, length, header);
            final long cents = number(buffer, offset + BODY_OFFSET);
            event = DEPOSITED == header.tag() ?
                new Event.Deposited(accountId, cents) : new Event.Withdrawn(accountId, cents);
        }
        return new StoredEvent(commandId, event);
    }

    private static int tag(final Event.Kind kind)
    {
        return switch (kind)
        {
            case OPENED -> OPENED;
            case DEPOSITED -> DEPOSITED;
            case WITHDRAWN -> WITHDRAWN;
            case TRANSFERRED -> TRANSFERRED;
        };
    }

    private static long number(final DirectBuffer buffer, final int index)
    {
        return buffer.getLong(index, LITTLE_ENDIAN);
    }

    private static void check(final boolean isValid, final int length, final RecordHandler.Header header)
    {
        if (!isValid)
        {
            throw new IllegalStateException(
                "not an event of this bank: sequence=" + header.sequence() + ", tag=" + header.tag() + ", length=" +
                    length + "; a newer version of this program may have written it");
        }
    }
}
