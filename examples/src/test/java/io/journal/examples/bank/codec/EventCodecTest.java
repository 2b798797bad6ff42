// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.codec;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.examples.bank.codec.EventCodec.StoredEvent;
import io.journal.examples.bank.domain.Event;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class EventCodecTest
{
    private static final UUID ID = new UUID(0x0102030405060708L, 0x1112131415161718L);
    private static final String HEX_ID = "0807060504030201 1817161514131211 ";

    @TempDir
    Path tempDir;

    private final EventCodec codec = new EventCodec();
    private Journal journal;
    private StoredEvent decoded;

    @BeforeEach
    void open()
    {
        journal = Journal.builder(tempDir).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH).backgroundThread(false)
            .open();
    }

    @AfterEach
    void close()
    {
        journal.close();
    }

    /** Encodings that may be stored on disks. Lines may be added, but never changed. */
    static Stream<Arguments> current()
    {
        return Stream.of(
            arguments(
                1, "01000000 " + HEX_ID + "0800000000000000 7b00000000000000 c384 6461",
                new Event.AccountOpened(8, "Äda", 123)),
            arguments(
                2, "01000000 " + HEX_ID + "efcdab8967452301 ffffffffffffff7f",
                new Event.Deposited(0x0123456789ABCDEFL, Long.MAX_VALUE)),
            arguments(3, "01000000 " + HEX_ID + "0700000000000000 0100000000000000", new Event.Withdrawn(7, 1)),
            arguments(
                4, "01000000 " + HEX_ID + "0100000000000000 0200000000000000 0300000000000000",
                new Event.Transferred(1, 2, 3)));
    }

    static Stream<Arguments> everWritten()
    {
        return Stream.concat(
            current(), Stream.of(
                arguments(1, "00000000 " + HEX_ID + "0800000000000000", new Event.AccountOpened(8, "Account 8", 0)),
                arguments(
                    2, "00000000 " + HEX_ID + "0800000000000000 0100000000000000", new Event.Deposited(8, 1))));
    }

    @ParameterizedTest
    @MethodSource("current")
    void writesTheseBytes(final long tag, final String hex, final Event event)
    {
        final long sequence = codec.append(journal.appender(), ID, event);

        journal.get(sequence, (buffer, offset, length, header) ->
        {
            final byte[] encoded = new byte[length];
            buffer.getBytes(offset, encoded);
            assertEquals(tag, header.tag());
            assertEquals(hex.replace(" ", ""), HexFormat.of().formatHex(encoded));
        });
    }

    @ParameterizedTest
    @MethodSource("everWritten")
    void readsWhatWasEverWrittenAsTheCurrentEvent(final long tag, final String hex, final Event event)
    {
        decode(tag, bytes(hex));

        assertEquals(new StoredEvent(ID, event), decoded);
    }

    @ParameterizedTest
    @MethodSource("everWritten")
    void refusesARecordOfAnotherLength(final long tag, final String hex)
    {
        final byte[] record = bytes(hex);
        // A record with the name of an owner has any length, because the name extends to its end.
        final boolean isNamed = 1 == tag && record.length > 36;
        for (final int wrong : new int[]{ 0, 27, isNamed ? 36 : record.length - 1, isNamed ? 29 : record.length + 1 })
        {
            assertThrows(
                IllegalStateException.class, () -> decode(tag, Arrays.copyOf(record, wrong)), hex);
        }
    }

    @Test
    void refusesAnotherKindAndANewerVersion()
    {
        final String body = HEX_ID + "0800000000000000 0100000000000000";

        assertThrows(IllegalStateException.class, () -> decode(5, bytes("01000000" + body)));
        assertThrows(IllegalStateException.class, () -> decode(0, bytes("01000000" + body)));
        assertThrows(IllegalStateException.class, () -> decode(2, bytes("02000000" + body)));
        assertThrows(IllegalStateException.class, () -> decode(2, bytes("ffffffff" + body)));
    }

    @Test
    void longestOwnerFits()
    {
        final Event event = new Event.AccountOpened(1, "\u20AC".repeat(60), 1);

        journal.get(codec.append(journal.appender(), ID, event),
            (buffer, offset, length, header) -> decoded = codec.decode(buffer, offset, length, header));

        assertEquals(event, decoded.event());
    }

    private void decode(final long tag, final byte[] record)
    {
        final long sequence = journal.appender().append(tag, record, 0, record.length);
        journal.get(
            sequence, (buffer, offset, length, header) -> decoded = codec.decode(buffer, offset, length, header));
    }

    private static byte[] bytes(final String hex)
    {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }
}
