package io.journal.examples.cqrs;

import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.stream.Stream;

import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import io.journal.JournalAppender;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class EventCodecTest
{
    private final EventCodec codec = new EventCodec();

    /**
     * What is on disk somewhere: never to be changed, only added to.
     */
    static Stream<Arguments> today()
    {
        return Stream.of(
            arguments(0x0102, "0800000000000000 7b00000000000000", new Event.AccountOpened(8, 123)),
            arguments(0x0201, "efcdab8967452301 ffffffffffffff7f", new Event.Deposited(
                0x0123456789ABCDEFL, Long.MAX_VALUE)),
            arguments(0x0301, "ffffffffffffffff 0100000000000000", new Event.Withdrawn(-1, 1)),
            arguments(0x0401, "0100000000000000 0200000000000000 0300000000000000", new Event.Transferred(1, 2, 3)));
    }

    static Stream<Arguments> everWritten()
    {
        return Stream.concat(
            today(), Stream.of(arguments(0x0101, "0800000000000000", new Event.AccountOpened(8, 0))));
    }

    @ParameterizedTest
    @MethodSource("today")
    void writesTodaysBytes(final long tag, final String hex, final Event event)
    {
        codec.encode(event);

        final byte[] encoded = new byte[codec.length()];
        codec.buffer().getBytes(0, encoded);
        assertEquals(tag, codec.tag());
        assertEquals(hex.replace(" ", ""), HexFormat.of().formatHex(encoded));
    }

    @ParameterizedTest
    @MethodSource("everWritten")
    void readsWhatWasEverWritten(final long tag, final String hex, final Event event)
    {
        final byte[] record = HexFormat.of().parseHex(hex.replace(" ", ""));
        final MutableDirectBuffer buffer = JournalAppender.wrap(new byte[5 + record.length + 5]);
        buffer.putBytes(5, record);

        assertEquals(event, EventCodec.decode(tag, buffer, 5, record.length));
    }

    @ParameterizedTest
    @MethodSource("everWritten")
    void refusesARecordOfAnotherLength(final long tag, final String hex)
    {
        final int length = hex.replace(" ", "").length() / 2;
        final MutableDirectBuffer buffer = JournalAppender.wrap(new byte[length + 8]);

        for (final int wrong : new int[]{ 0, length - 1, length + 1, length + 8 })
        {
            assertThrows(IllegalStateException.class, () -> EventCodec.decode(tag, buffer, 0, wrong));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, 0x0100, 0x0103, 0x0501, 0x1_0000_0201L, -1 })
    void refusesWhatItDoesNotKnow(final long tag)
    {
        final MutableDirectBuffer buffer = JournalAppender.wrap(new byte[24]);

        assertThrows(IllegalStateException.class, () -> EventCodec.decode(tag, buffer, 0, 16));
    }

    @Test
    void encodesOneEventAfterAnother()
    {
        codec.encode(new Event.Transferred(1, 2, 3));
        codec.encode(new Event.Deposited(4, 5));

        assertEquals(EventCodec.DEPOSITED, codec.tag());
        assertEquals(16, codec.length());
        assertEquals(4, codec.buffer().getLong(0, ByteOrder.LITTLE_ENDIAN));
    }
}
