package io.journal.examples.bank.codec;

import java.nio.file.Path;
import java.util.UUID;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.examples.bank.codec.sbe.AccountOpenedDecoder;
import io.journal.examples.bank.codec.sbe.MessageHeaderEncoder;
import io.journal.examples.bank.domain.Event;
import org.agrona.MutableDirectBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Writes a journal as the bank's first version did: accounts had neither an owner nor an opening time. The journal
 * among the test resources, {@code bank-journal-version-0.zip}, holds what this wrote once. It is written again only if
 * the format of the journal changes: only bytes that an old version really left prove that they can be read.
 *
 * <pre>
 * java -cp ... io.journal.examples.bank.codec.OldJournal directory
 * </pre>
 */
public final class OldJournal
{
    private static final int BLOCK_LENGTH = 3 * Long.BYTES;
    private static final int VERSION = 0;

    private OldJournal()
    {
    }

    /**
     * Entry point.
     *
     * @param args directory of the journal to create.
     */
    public static void main(final String[] args)
    {
        try (Journal journal = Journal.builder(Path.of(args[0])).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH)
            .open())
        {
            final JournalAppender appender = journal.appender();
            final EventCodec codec = new EventCodec();
            appendOpened(appender, new UUID(7, 1), 1);
            appendOpened(appender, new UUID(7, 2), 2);
            append(appender, codec, new UUID(7, 3), new Event.Deposited(1, 100_00));
            append(appender, codec, new UUID(7, 4), new Event.Transferred(1, 2, 30_00));
            journal.force();
        }
    }

    private static void appendOpened(final JournalAppender appender, final UUID commandId, final long accountId)
    {
        final MutableDirectBuffer buffer =
            JournalAppender.wrap(new byte[MessageHeaderEncoder.ENCODED_LENGTH + BLOCK_LENGTH]);
        new MessageHeaderEncoder().wrap(buffer, 0)
            .blockLength(BLOCK_LENGTH)
            .templateId(AccountOpenedDecoder.TEMPLATE_ID)
            .schemaId(AccountOpenedDecoder.SCHEMA_ID)
            .version(VERSION);
        buffer.putLong(8, commandId.getMostSignificantBits(), LITTLE_ENDIAN);
        buffer.putLong(16, commandId.getLeastSignificantBits(), LITTLE_ENDIAN);
        buffer.putLong(24, accountId, LITTLE_ENDIAN);
        appender.append(AccountOpenedDecoder.TEMPLATE_ID, buffer, 0, buffer.capacity());
    }

    private static void append(
        final JournalAppender appender, final EventCodec codec, final UUID commandId, final Event event)
    {
        codec.encode(commandId, event);
        appender.append(codec.tag(), codec.buffer(), 0, codec.length());
    }
}
