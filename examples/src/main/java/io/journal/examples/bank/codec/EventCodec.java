package io.journal.examples.bank.codec;

import java.util.UUID;

import io.journal.JournalAppender;
import io.journal.examples.bank.codec.sbe.AccountOpenedDecoder;
import io.journal.examples.bank.codec.sbe.AccountOpenedEncoder;
import io.journal.examples.bank.codec.sbe.DepositedDecoder;
import io.journal.examples.bank.codec.sbe.DepositedEncoder;
import io.journal.examples.bank.codec.sbe.MessageHeaderDecoder;
import io.journal.examples.bank.codec.sbe.MessageHeaderEncoder;
import io.journal.examples.bank.codec.sbe.TransferredDecoder;
import io.journal.examples.bank.codec.sbe.TransferredEncoder;
import io.journal.examples.bank.codec.sbe.WithdrawnDecoder;
import io.journal.examples.bank.codec.sbe.WithdrawnEncoder;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.Event;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Encodes and decodes events with the codecs that SBE generates from {@code bank-events.xml}. A record is an SBE
 * message with its header; the record's tag is the message's template id, so tools can select events by kind.
 * <p>
 * Stored events are never rewritten. A new version of an event only adds fields at its end; an old one is converted to
 * the current event when it is decoded (upcasting), so no other class has to know about versions. Not thread-safe.
 */
public final class EventCodec
{
    private static final int MAX_BYTES_PER_CHARACTER = 3;
    private static final int MAX_LENGTH = MessageHeaderEncoder.ENCODED_LENGTH + AccountOpenedEncoder.BLOCK_LENGTH +
        AccountOpenedEncoder.ownerHeaderLength() + MAX_BYTES_PER_CHARACTER * Command.MAX_OWNER_LENGTH;

    private final MutableDirectBuffer buffer = JournalAppender.wrap(new byte[MAX_LENGTH]);
    private final Writer writer = new Writer();
    private UUID commandId;
    private int tag;
    private int length;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final AccountOpenedDecoder opened = new AccountOpenedDecoder();
    private final DepositedDecoder deposited = new DepositedDecoder();
    private final WithdrawnDecoder withdrawn = new WithdrawnDecoder();
    private final TransferredDecoder transferred = new TransferredDecoder();

    /**
     * Encodes an event. {@link #tag()}, {@link #buffer()} and {@link #length()} return it until the next call.
     *
     * @param commandId of the command that caused it.
     * @param event     to encode.
     */
    public void encode(final UUID commandId, final Event event)
    {
        this.commandId = commandId;
        event.accept(writer);
    }

    /** {@return the tag of the encoded record} */
    public long tag()
    {
        return tag;
    }

    /** {@return what holds the encoded record, from index 0} */
    public DirectBuffer buffer()
    {
        return buffer;
    }

    /** {@return the length of the encoded record in bytes} */
    public int length()
    {
        return length;
    }

    /**
     * Decodes a record.
     *
     * @param buffer holds the record.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes.
     * @return the event, in its current version.
     * @throws IllegalStateException if the record is not an event of this application, or of a newer version. Skipping
     *                               it would silently lead to a wrong state.
     */
    public StoredEvent decode(final DirectBuffer buffer, final int offset, final int length)
    {
        check(length >= MessageHeaderDecoder.ENCODED_LENGTH, length);
        header.wrap(buffer, offset);
        check(
            MessageHeaderDecoder.SCHEMA_ID == header.schemaId() &&
                header.version() <= MessageHeaderDecoder.SCHEMA_VERSION &&
                length >= MessageHeaderDecoder.ENCODED_LENGTH + header.blockLength(),
            length);

        final StoredEvent stored = switch (header.templateId())
        {
            case AccountOpenedDecoder.TEMPLATE_ID -> decodeOpened(buffer, offset);
            case DepositedDecoder.TEMPLATE_ID -> decodeDeposited(buffer, offset);
            case WithdrawnDecoder.TEMPLATE_ID -> decodeWithdrawn(buffer, offset);
            case TransferredDecoder.TEMPLATE_ID -> decodeTransferred(buffer, offset);
            default -> null;
        };
        check(null != stored && decodedEnd() == offset + length, length);
        return stored;
    }

    private StoredEvent decodeOpened(final DirectBuffer buffer, final int offset)
    {
        opened.wrapAndApplyHeader(buffer, offset, header);
        final UUID id = new UUID(opened.commandIdHigh(), opened.commandIdLow());
        final long accountId = opened.accountId();
        // Upcasting: in version 0 accounts had neither a time nor an owner. SBE returns null values for these.
        final long openedAtMs = opened.openedAtMs();
        final String owner = opened.owner();
        return new StoredEvent(
            id, new Event.AccountOpened(
                accountId, owner.isEmpty() ? "Account " + accountId : owner,
                AccountOpenedDecoder.openedAtMsNullValue() == openedAtMs ? 0 : openedAtMs));
    }

    private StoredEvent decodeDeposited(final DirectBuffer buffer, final int offset)
    {
        deposited.wrapAndApplyHeader(buffer, offset, header);
        return new StoredEvent(
            new UUID(deposited.commandIdHigh(), deposited.commandIdLow()),
            new Event.Deposited(deposited.accountId(), deposited.amountCents()));
    }

    private StoredEvent decodeWithdrawn(final DirectBuffer buffer, final int offset)
    {
        withdrawn.wrapAndApplyHeader(buffer, offset, header);
        return new StoredEvent(
            new UUID(withdrawn.commandIdHigh(), withdrawn.commandIdLow()),
            new Event.Withdrawn(withdrawn.accountId(), withdrawn.amountCents()));
    }

    private StoredEvent decodeTransferred(final DirectBuffer buffer, final int offset)
    {
        transferred.wrapAndApplyHeader(buffer, offset, header);
        return new StoredEvent(
            new UUID(transferred.commandIdHigh(), transferred.commandIdLow()),
            new Event.Transferred(
                transferred.fromAccountId(), transferred.toAccountId(), transferred.amountCents()));
    }

    private int decodedEnd()
    {
        return switch (header.templateId())
        {
            case AccountOpenedDecoder.TEMPLATE_ID -> opened.limit();
            case DepositedDecoder.TEMPLATE_ID -> deposited.limit();
            case WithdrawnDecoder.TEMPLATE_ID -> withdrawn.limit();
            default -> transferred.limit();
        };
    }

    private void check(final boolean isValid, final int length)
    {
        if (!isValid)
        {
            final boolean hasHeader = length >= MessageHeaderDecoder.ENCODED_LENGTH;
            throw new IllegalStateException(
                "not an event of this bank: length=" + length + (hasHeader ? ", header=" + header : "") +
                    "; a newer version of this program may have written it");
        }
    }

    /**
     * A class of its own, so that these methods are not part of the codec's.
     */
    private final class Writer implements Event.Visitor
    {
        private final MessageHeaderEncoder header = new MessageHeaderEncoder();
        private final AccountOpenedEncoder opened = new AccountOpenedEncoder();
        private final DepositedEncoder deposited = new DepositedEncoder();
        private final WithdrawnEncoder withdrawn = new WithdrawnEncoder();
        private final TransferredEncoder transferred = new TransferredEncoder();

        @Override
        public void on(final Event.AccountOpened event)
        {
            opened.wrapAndApplyHeader(buffer, 0, header)
                .commandIdHigh(commandId.getMostSignificantBits())
                .commandIdLow(commandId.getLeastSignificantBits())
                .accountId(event.accountId())
                .openedAtMs(event.openedAtMs())
                .owner(event.owner());
            end(AccountOpenedEncoder.TEMPLATE_ID, opened.limit());
        }

        @Override
        public void on(final Event.Deposited event)
        {
            deposited.wrapAndApplyHeader(buffer, 0, header)
                .commandIdHigh(commandId.getMostSignificantBits())
                .commandIdLow(commandId.getLeastSignificantBits())
                .accountId(event.accountId())
                .amountCents(event.amountCents());
            end(DepositedEncoder.TEMPLATE_ID, deposited.limit());
        }

        @Override
        public void on(final Event.Withdrawn event)
        {
            withdrawn.wrapAndApplyHeader(buffer, 0, header)
                .commandIdHigh(commandId.getMostSignificantBits())
                .commandIdLow(commandId.getLeastSignificantBits())
                .accountId(event.accountId())
                .amountCents(event.amountCents());
            end(WithdrawnEncoder.TEMPLATE_ID, withdrawn.limit());
        }

        @Override
        public void on(final Event.Transferred event)
        {
            transferred.wrapAndApplyHeader(buffer, 0, header)
                .commandIdHigh(commandId.getMostSignificantBits())
                .commandIdLow(commandId.getLeastSignificantBits())
                .fromAccountId(event.fromAccountId())
                .toAccountId(event.toAccountId())
                .amountCents(event.amountCents());
            end(TransferredEncoder.TEMPLATE_ID, transferred.limit());
        }

        private void end(final int templateId, final int limit)
        {
            tag = templateId;
            length = limit;
        }
    }
}
