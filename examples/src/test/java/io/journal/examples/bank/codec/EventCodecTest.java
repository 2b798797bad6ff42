package io.journal.examples.bank.codec;

import java.util.HexFormat;
import java.util.UUID;
import java.util.stream.Stream;

import io.journal.JournalAppender;
import io.journal.examples.bank.domain.Event;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class EventCodecTest
{
    private static final UUID ID = new UUID(0x0102030405060708L, 0x1112131415161718L);
    private static final String HEX_ID = "0807060504030201 1817161514131211 ";

    private final EventCodec codec = new EventCodec();

    /**
     * What is on disk somewhere: never to be changed, only added to.
     */
    static Stream<Arguments> current()
    {
        return Stream.of(
            arguments(
                1, "2000 0100 5344 0100 " + HEX_ID + "0800000000000000 7b00000000000000 0400 c384 6461",
                new Event.AccountOpened(8, "Äda", 123)),
            arguments(
                2, "2000 0200 5344 0100 " + HEX_ID + "efcdab8967452301 ffffffffffffff7f",
                new Event.Deposited(0x0123456789ABCDEFL, Long.MAX_VALUE)),
            arguments(
                3, "2000 0300 5344 0100 " + HEX_ID + "0700000000000000 0100000000000000", new Event.Withdrawn(7, 1)),
            arguments(
                4, "2800 0400 5344 0100 " + HEX_ID + "0100000000000000 0200000000000000 0300000000000000",
                new Event.Transferred(1, 2, 3)));
    }

    static Stream<Arguments> everWritten()
    {
        return Stream.concat(
            current(), Stream.of(
                arguments(
                    1, "1800 0100 5344 0000 " + HEX_ID + "0800000000000000",
                    new Event.AccountOpened(8, "Account 8", 0)),
                arguments(
                    2, "2000 0200 5344 0000 " + HEX_ID + "0800000000000000 0100000000000000",
                    new Event.Deposited(8, 1))));
    }

    @ParameterizedTest
    @MethodSource("current")
    void writesTheseBytes(final long tag, final String hex, final Event event)
    {
        codec.encode(ID, event);

        final byte[] encoded = new byte[codec.length()];
        codec.buffer().getBytes(0, encoded);
        assertEquals(tag, codec.tag());
        assertEquals(hex.replace(" ", ""), HexFormat.of().formatHex(encoded));
    }

    @ParameterizedTest
    @MethodSource("everWritten")
    void readsWhatWasEverWrittenAsTheCurrentEvent(final long tag, final String hex, final Event event)
    {
        final byte[] record = HexFormat.of().parseHex(hex.replace(" ", ""));
        final MutableDirectBuffer buffer = JournalAppender.wrap(new byte[5 + record.length + 5]);
        buffer.putBytes(5, record);

        assertEquals(new StoredEvent(ID, event), codec.decode(buffer, 5, record.length));
    }

    @ParameterizedTest
    @MethodSource("everWritten")
    void refusesARecordOfAnotherLength(final long tag, final String hex)
    {
        final byte[] record = HexFormat.of().parseHex(hex.replace(" ", ""));
        final MutableDirectBuffer buffer = JournalAppender.wrap(new byte[record.length + 8]);
        buffer.putBytes(0, record);

        for (final int wrong : new int[]{ 0, 7, 8, record.length - 1, record.length + 1, record.length + 8 })
        {
            assertThrows(IllegalStateException.class, () -> codec.decode(buffer, 0, wrong));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "2000 0500 5344 0100", "2000 0200 5345 0100", "2000 0200 5344 0200" })
    void refusesAnotherMessageSchemaOrNewerVersion(final String header)
    {
        final MutableDirectBuffer buffer = JournalAppender.wrap(new byte[40]);
        buffer.putBytes(0, HexFormat.of().parseHex(header.replace(" ", "")));

        assertThrows(IllegalStateException.class, () -> codec.decode(buffer, 0, 40));
    }

    @Test
    void longestOwnerFits()
    {
        final Event event = new Event.AccountOpened(1, "\u20AC".repeat(60), 1);

        codec.encode(ID, event);

        assertEquals(event, codec.decode(codec.buffer(), 0, codec.length()).event());
    }
}
