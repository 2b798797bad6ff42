// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.io.IOException;
import java.io.PipedWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;
import io.journal.internal.buffer.ByteBufferView;
import org.agrona.AsciiNumberFormatException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ByteBufferViewTest
{
    private static final ByteOrder NATIVE = ByteOrder.nativeOrder();
    private static final byte CANARY = (byte)0xA5;

    private enum Memory
    {
        HEAP, HEAP_SLICE, DIRECT, DIRECT_SLICE, MAPPED;

        ByteBuffer allocate(final int length)
        {
            return switch (this)
            {
                case HEAP -> ByteBuffer.allocate(length);
                case HEAP_SLICE -> ByteBuffer.allocate(length + 8).slice(3, length);
                case DIRECT -> ByteBuffer.allocateDirect(length);
                case DIRECT_SLICE -> ByteBuffer.allocateDirect(length + 8).slice(5, length);
                case MAPPED -> map(length);
            };
        }

        private static ByteBuffer map(final int length)
        {
            try
            {
                final Path file = Files.createTempFile("view", ".bin");
                try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE))
                {
                    return channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
                }
            }
            catch (final IOException ex)
            {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /** A region inside memory that is larger and filled with canaries. */
    private static final class Region
    {
        final Memory memory;
        final int offset;
        final int length;
        final ByteBuffer buffer;
        final ByteBufferView view = new ByteBufferView();
        final ByteBufferView readOnlyView = new ByteBufferView();

        Region(final Memory memory, final int offset, final int length, final int tail)
        {
            this.memory = memory;
            this.offset = offset;
            this.length = length;
            buffer = memory.allocate(offset + length + tail);
            fill(0, buffer.capacity(), CANARY);
            fill(offset, length, (byte)'1');
            view.wrap(buffer, offset, length);
            readOnlyView.wrap(buffer.asReadOnlyBuffer(), offset, length);
        }

        void fill(final int from, final int count, final byte value)
        {
            for (int i = from; i < from + count; i++)
            {
                buffer.put(i, value);
            }
        }

        byte[] everything()
        {
            final byte[] bytes = new byte[buffer.capacity()];
            buffer.get(0, bytes);
            return bytes;
        }

        void assertHolds(final byte[] expected, final String message)
        {
            final byte[] all = new byte[buffer.capacity()];
            Arrays.fill(all, CANARY);
            System.arraycopy(expected, 0, all, offset, length);
            assertArrayEquals(all, everything(), message);
        }

        public String toString()
        {
            return memory + " offset=" + offset + " length=" + length + " of " + buffer.capacity();
        }
    }

    static Stream<Region> regions()
    {
        return Stream.of(Memory.values()).flatMap((memory) -> Stream.of(
            new Region(memory, 0, 64, 0),
            new Region(memory, 0, 64, 32),
            new Region(memory, 32, 64, 0),
            new Region(memory, 13, 71, 9)));
    }

    // ---- an independent model: an array, one byte at a time

    private static final class Model
    {
        final byte[] bytes;

        Model(final int length)
        {
            bytes = new byte[length];
            Arrays.fill(bytes, (byte)'1');
        }

        long get(final int index, final int size, final ByteOrder order)
        {
            long value = 0;
            for (int i = 0; i < size; i++)
            {
                value = value << 8 | bytes[BIG_ENDIAN == order ? index + i : index + size - 1 - i] & 0xFF;
            }
            return value;
        }

        void put(final int index, final int size, final long value, final ByteOrder order)
        {
            for (int i = 0; i < size; i++)
            {
                bytes[BIG_ENDIAN == order ? index + size - 1 - i : index + i] = (byte)(value >>> 8 * i);
            }
        }

        void put(final int index, final byte[] src)
        {
            System.arraycopy(src, 0, bytes, index, src.length);
        }

        byte[] get(final int index, final int length)
        {
            return Arrays.copyOfRange(bytes, index, index + length);
        }
    }

    @FunctionalInterface
    private interface Step
    {
        void run(ByteBufferView view, Model model, Random random);
    }

    private static int place(final Random random, final Model model, final int size)
    {
        return random.nextInt(model.bytes.length - size + 1);
    }

    private static ByteOrder order(final Random random)
    {
        return random.nextBoolean() ? BIG_ENDIAN : LITTLE_ENDIAN;
    }

    private static byte[] bytes(final Random random, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer buffer(final Random random, final int length)
    {
        final Memory[] kinds = Memory.values();
        return kinds[random.nextInt(kinds.length - 1)].allocate(length).order(order(random));
    }

    /** Mostly ASCII, with some of Latin-1, Greek, CJK, surrogate pairs and lone surrogates. */
    private static String text(final Random random, final int maxChars)
    {
        final StringBuilder text = new StringBuilder();
        final int chars = random.nextInt(maxChars + 1);
        while (text.length() < chars)
        {
            switch (random.nextInt(12))
            {
                case 0 -> text.append((char)(0x80 + random.nextInt(0x80)));
                case 1 -> text.append((char)(0x391 + random.nextInt(24)));
                case 2 -> text.append((char)(0x4E00 + random.nextInt(0x100)));
                case 3 -> text.append(text.length() + 2 <= chars ? "\uD83D\uDE00" : "\uD83D");
                default -> text.append((char)random.nextInt(128));
            }
        }
        return text.toString();
    }

    private static byte[] ascii(final CharSequence value)
    {
        final byte[] bytes = new byte[value.length()];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)(value.charAt(i) < 128 ? value.charAt(i) : '?');
        }
        return bytes;
    }

    private static String asciiWithQuestionMarks(final byte[] bytes)
    {
        final StringBuilder text = new StringBuilder();
        for (final byte value : bytes)
        {
            text.append(value < 0 ? '?' : (char)value);
        }
        return text.toString();
    }

    /** As likely short as long. */
    private static long number(final Random random)
    {
        return random.nextLong() >> random.nextInt(64);
    }

    private static int smallNumber(final Random random)
    {
        return random.nextInt() >> random.nextInt(32);
    }

    private static final List<Step> READS = List.of(
        (view, model, random) ->
        {
            final int index = place(random, model, 8);
            final ByteOrder order = order(random);
            assertEquals(model.get(index, 8, order), view.getLong(index, order));
            assertEquals(model.get(index, 8, NATIVE), view.getLong(index));
            assertEquals(model.get(index, 8, order), Double.doubleToRawLongBits(view.getDouble(index, order)));
            assertEquals(model.get(index, 8, NATIVE), Double.doubleToRawLongBits(view.getDouble(index)));
        },
        (view, model, random) ->
        {
            final int index = place(random, model, 4);
            final ByteOrder order = order(random);
            assertEquals((int)model.get(index, 4, order), view.getInt(index, order));
            assertEquals((int)model.get(index, 4, NATIVE), view.getInt(index));
            assertEquals((int)model.get(index, 4, order), Float.floatToRawIntBits(view.getFloat(index, order)));
            assertEquals((int)model.get(index, 4, NATIVE), Float.floatToRawIntBits(view.getFloat(index)));
        },
        (view, model, random) ->
        {
            final int index = place(random, model, 2);
            final ByteOrder order = order(random);
            assertEquals((short)model.get(index, 2, order), view.getShort(index, order));
            assertEquals((short)model.get(index, 2, NATIVE), view.getShort(index));
            assertEquals((char)model.get(index, 2, order), view.getChar(index, order));
            assertEquals((char)model.get(index, 2, NATIVE), view.getChar(index));
            assertEquals(model.bytes[index], view.getByte(index));
        },
        (view, model, random) ->
        {
            final int length = random.nextInt(model.bytes.length + 1);
            final int index = place(random, model, length);
            final byte[] whole = new byte[length];
            view.getBytes(index, whole);
            assertArrayEquals(model.get(index, length), whole);

            final byte[] part = new byte[length + 5];
            view.getBytes(index, part, 3, length);
            assertArrayEquals(model.get(index, length), Arrays.copyOfRange(part, 3, 3 + length));
            assertEquals(0, part[2] | part[3 + length]);
        },
        (view, model, random) ->
        {
            final int length = random.nextInt(model.bytes.length + 1);
            final int index = place(random, model, length);
            final ByteBuffer dst = buffer(random, length + 7).position(2);
            final ByteOrder order = dst.order();
            view.getBytes(index, dst, length);
            assertEquals(2 + length, dst.position());
            assertEquals(ByteBuffer.wrap(model.get(index, length)), dst.duplicate().flip().position(2));

            view.getBytes(index, dst.clear(), 5, length);
            assertEquals(0, dst.position());
            assertEquals(dst.capacity(), dst.limit());
            assertSame(order, dst.order());
            assertEquals(ByteBuffer.wrap(model.get(index, length)), dst.slice(5, length));
        },
        (view, model, random) ->
        {
            final int length = random.nextInt(model.bytes.length + 1);
            final int index = place(random, model, length);
            final byte[] dst = new byte[length + 9];
            view.getBytes(index, wrap(dst, 1, length + 7), 3, length);
            assertArrayEquals(model.get(index, length), Arrays.copyOfRange(dst, 4, 4 + length));
        },
        (view, model, random) ->
        {
            final int length = random.nextInt(model.bytes.length - 3);
            final int index = place(random, model, length + 4);
            final byte[] encoded = model.get(index + 4, length);
            final StringBuilder text = new StringBuilder();
            assertEquals(new String(encoded, US_ASCII), view.getStringAscii(index, length));
            assertEquals(new String(encoded, US_ASCII), view.getStringWithoutLengthAscii(index + 4, length));
            assertEquals(new String(encoded, UTF_8), view.getStringUtf8(index, length));
            assertEquals(new String(encoded, UTF_8), view.getStringWithoutLengthUtf8(index + 4, length));
            assertEquals(length, view.getStringAscii(index, length, text));
            assertEquals(length, view.getStringWithoutLengthAscii(index + 4, length, text));
            assertEquals(asciiWithQuestionMarks(encoded).repeat(2), text.toString());
        },
        (view, model, random) ->
        {
            int hashCode = 19;
            int i = 0;
            for (; i + 8 <= model.bytes.length; i += 8)
            {
                hashCode = 31 * hashCode + Long.hashCode(model.get(i, 8, NATIVE));
            }
            for (; i < model.bytes.length; i++)
            {
                hashCode = 31 * hashCode + model.bytes[i];
            }
            assertEquals(hashCode, view.hashCode());
            assertEquals(wrap(model.bytes), view);
            assertEquals(0, view.compareTo(wrap(model.bytes)));
        });

    private static final List<Step> WRITES = List.of(
        (view, model, random) ->
        {
            final int index = place(random, model, 8);
            final ByteOrder order = order(random);
            final double value = random.nextGaussian();
            final long bits = Double.doubleToRawLongBits(value);
            final int method = random.nextInt(4);
            switch (method)
            {
                case 0 -> view.putLong(index, bits, order);
                case 1 -> view.putDouble(index, value, order);
                case 2 -> view.putLong(index, bits);
                default -> view.putDouble(index, value);
            }
            model.put(index, 8, bits, method < 2 ? order : NATIVE);
        },
        (view, model, random) ->
        {
            final int index = place(random, model, 4);
            final ByteOrder order = order(random);
            final float value = (float)random.nextGaussian();
            final int bits = Float.floatToRawIntBits(value);
            final int method = random.nextInt(4);
            switch (method)
            {
                case 0 -> view.putInt(index, bits, order);
                case 1 -> view.putFloat(index, value, order);
                case 2 -> view.putInt(index, bits);
                default -> view.putFloat(index, value);
            }
            model.put(index, 4, bits, method < 2 ? order : NATIVE);
        },
        (view, model, random) ->
        {
            final int index = place(random, model, 2);
            final ByteOrder order = order(random);
            final char value = (char)random.nextInt();
            final int method = random.nextInt(4);
            switch (method)
            {
                case 0 -> view.putShort(index, (short)value, order);
                case 1 -> view.putChar(index, value, order);
                case 2 -> view.putShort(index, (short)value);
                default -> view.putChar(index, value);
            }
            model.put(index, 2, value, method < 2 ? order : NATIVE);
        },
        (view, model, random) ->
        {
            final int index = place(random, model, 1);
            final byte value = (byte)random.nextInt();
            view.putByte(index, value);
            model.bytes[index] = value;
        },
        (view, model, random) ->
        {
            final int length = random.nextInt(model.bytes.length + 1);
            final int index = place(random, model, length);
            final byte value = (byte)random.nextInt();
            view.setMemory(index, length, value);
            Arrays.fill(model.bytes, index, index + length, value);
        },
        (view, model, random) ->
        {
            final byte[] src = bytes(random, random.nextInt(model.bytes.length + 1));
            final int index = place(random, model, src.length);
            view.putBytes(index, src);
            model.put(index, src);
        },
        (view, model, random) ->
        {
            final byte[] src = bytes(random, 9 + random.nextInt(model.bytes.length));
            final int index = place(random, model, src.length - 9);
            view.putBytes(index, src, 4, src.length - 9);
            model.put(index, Arrays.copyOfRange(src, 4, src.length - 5));
        },
        (view, model, random) ->
        {
            final byte[] src = bytes(random, random.nextInt(model.bytes.length + 1));
            final int index = place(random, model, src.length);
            final ByteBuffer srcBuffer = buffer(random, 9 + src.length).put(4, src).position(4);
            view.putBytes(index, random.nextBoolean() ? srcBuffer.asReadOnlyBuffer() : srcBuffer, 4, src.length);
            assertEquals(4, srcBuffer.position());
            view.putBytes(index, srcBuffer, src.length);
            assertEquals(4 + src.length, srcBuffer.position());
            model.put(index, src);
        },
        (view, model, random) ->
        {
            final byte[] src = bytes(random, 9 + random.nextInt(model.bytes.length));
            final int length = src.length - 9;
            final int index = place(random, model, length);
            view.putBytes(index, wrap(src, 2, length + 5), 3, length);
            model.put(index, Arrays.copyOfRange(src, 5, 5 + length));
        },
        (view, model, random) ->
        {
            // Onto itself, with overlap.
            final int length = random.nextInt(model.bytes.length + 1);
            final int from = place(random, model, length);
            final int to = place(random, model, length);
            view.putBytes(to, view, from, length);
            model.put(to, model.get(from, length));
        },
        (view, model, random) ->
        {
            final String value = text(random, model.bytes.length - 4);
            final int index = place(random, model, 4 + value.length());
            final ByteOrder order = order(random);
            final boolean isNative = NATIVE == order;
            final CharSequence chars = CharBuffer.wrap(value);
            final int written = switch (random.nextInt(isNative ? 4 : 2))
            {
                case 0 -> view.putStringAscii(index, value, order);
                case 1 -> view.putStringAscii(index, chars, order);
                case 2 -> view.putStringAscii(index, value);
                default -> view.putStringAscii(index, chars);
            };
            assertEquals(4 + value.length(), written);
            model.put(index, 4, value.length(), order);
            model.put(index + 4, ascii(value));

            final StringBuilder text = new StringBuilder();
            assertEquals(asciiWithQuestionMarks(ascii(value)), view.getStringAscii(index, order));
            assertEquals(value.length(), view.getStringAscii(index, text, order));
            if (isNative)
            {
                assertEquals(text.toString(), view.getStringAscii(index));
                assertEquals(value.length(), view.getStringAscii(index, text));
            }
            assertEquals(asciiWithQuestionMarks(ascii(value)).repeat(isNative ? 2 : 1), text.toString());
        },
        (view, model, random) ->
        {
            final String value = text(random, model.bytes.length);
            final int index = place(random, model, value.length());
            final int written = random.nextBoolean() ?
                view.putStringWithoutLengthAscii(index, value) :
                view.putStringWithoutLengthAscii(index, CharBuffer.wrap(value));
            assertEquals(value.length(), written);
            model.put(index, ascii(value));
        },
        (view, model, random) ->
        {
            final String value = text(random, model.bytes.length);
            final int valueOffset = random.nextInt(value.length() + 1);
            final int length = random.nextInt(2 * model.bytes.length);
            final String part = value.substring(valueOffset, Math.min(value.length(), valueOffset + length));
            final int index = place(random, model, part.length());
            final int written = random.nextBoolean() ?
                view.putStringWithoutLengthAscii(index, value, valueOffset, length) :
                view.putStringWithoutLengthAscii(index, CharBuffer.wrap(value), valueOffset, length);
            assertEquals(part.length(), written);
            model.put(index, ascii(part));
        },
        (view, model, random) ->
        {
            final String value = text(random, (model.bytes.length - 4) / 3);
            final byte[] encoded = value.getBytes(UTF_8);
            final int index = place(random, model, 4 + encoded.length);
            final ByteOrder order = order(random);
            if (NATIVE == order && random.nextBoolean())
            {
                assertEquals(4 + encoded.length, random.nextBoolean() ?
                    view.putStringUtf8(index, value) : view.putStringUtf8(index, value, encoded.length));
                assertEquals(new String(encoded, UTF_8), view.getStringUtf8(index));
            }
            else
            {
                assertEquals(4 + encoded.length, random.nextBoolean() ?
                    view.putStringUtf8(index, value, order) : view.putStringUtf8(index, value, order, encoded.length));
                assertEquals(new String(encoded, UTF_8), view.getStringUtf8(index, order));
            }
            model.put(index, 4, encoded.length, order);
            model.put(index + 4, encoded);
        },
        (view, model, random) ->
        {
            final byte[] encoded = text(random, model.bytes.length / 3).getBytes(UTF_8);
            final int index = place(random, model, encoded.length);
            assertEquals(encoded.length, view.putStringWithoutLengthUtf8(index, new String(encoded, UTF_8)));
            model.put(index, encoded);
        },
        (view, model, random) ->
        {
            final long value = number(random);
            final byte[] digits = Long.toString(value).getBytes(US_ASCII);
            final int index = place(random, model, digits.length);
            assertEquals(digits.length, value >= 0 && random.nextBoolean() ?
                view.putNaturalLongAscii(index, value) : view.putLongAscii(index, value));
            assertEquals(value, view.parseLongAscii(index, digits.length));
            if (value >= 0)
            {
                assertEquals(value, view.parseNaturalLongAscii(index, digits.length));
            }
            model.put(index, digits);
        },
        (view, model, random) ->
        {
            final int value = smallNumber(random);
            final byte[] digits = Integer.toString(value).getBytes(US_ASCII);
            final int index = place(random, model, digits.length);
            assertEquals(digits.length, value >= 0 && random.nextBoolean() ?
                view.putNaturalIntAscii(index, value) : view.putIntAscii(index, value));
            assertEquals(value, view.parseIntAscii(index, digits.length));
            if (value >= 0)
            {
                assertEquals(value, view.parseNaturalIntAscii(index, digits.length));
            }
            model.put(index, digits);
        },
        (view, model, random) ->
        {
            final int value = smallNumber(random) & Integer.MAX_VALUE;
            final String digits = Integer.toString(value);
            final int length = digits.length() + random.nextInt(12);
            final int index = place(random, model, length);
            view.putNaturalPaddedIntAscii(index, length, value);
            model.put(index, ("0".repeat(length - digits.length()) + digits).getBytes(US_ASCII));
        },
        (view, model, random) ->
        {
            final int value = 1 + (smallNumber(random) & Integer.MAX_VALUE - 1);
            final byte[] digits = Integer.toString(value).getBytes(US_ASCII);
            final int index = place(random, model, digits.length);
            assertEquals(index, view.putNaturalIntAsciiFromEnd(value, index + digits.length));
            model.put(index, digits);
        });

    @ParameterizedTest
    @MethodSource("regions")
    void randomStepsGiveWhatTheModelGives(final Region region)
    {
        final Model model = new Model(region.length);
        for (long seed = 1; seed <= 40; seed++)
        {
            final Random random = new Random(seed);
            for (int i = 0; i < 250; i++)
            {
                final int write = random.nextInt(WRITES.size());
                final int read = random.nextInt(READS.size());
                final String message = "seed=" + seed + ", i=" + i + ", write=" + write + ", read=" + read;
                assertDoesNotThrow(() -> WRITES.get(write).run(region.view, model, random), message);
                region.assertHolds(model.bytes, message);

                final ByteBufferView readView = random.nextBoolean() ? region.view : region.readOnlyView;
                assertDoesNotThrow(() -> READS.get(read).run(readView, model, random), message);
                region.assertHolds(model.bytes, message);
            }
        }
    }

    // ---- bounds

    @FunctionalInterface
    private interface Use
    {
        void at(ByteBufferView view, int index);
    }

    /** A use of so many bytes, from the index on. */
    private record Access(String name, int size, Use use)
    {
    }

    private static final byte[] FIVE = { '1', '2', '3', '4', '5' };

    /** The region holds digits. */
    private static final List<Access> READING = List.of(
        new Access("getLong", 8, ByteBufferView::getLong),
        new Access("getLong order", 8, (view, index) -> view.getLong(index, BIG_ENDIAN)),
        new Access("getDouble", 8, ByteBufferView::getDouble),
        new Access("getDouble order", 8, (view, index) -> view.getDouble(index, BIG_ENDIAN)),
        new Access("getInt", 4, ByteBufferView::getInt),
        new Access("getInt order", 4, (view, index) -> view.getInt(index, BIG_ENDIAN)),
        new Access("getFloat", 4, ByteBufferView::getFloat),
        new Access("getFloat order", 4, (view, index) -> view.getFloat(index, BIG_ENDIAN)),
        new Access("getShort", 2, ByteBufferView::getShort),
        new Access("getShort order", 2, (view, index) -> view.getShort(index, BIG_ENDIAN)),
        new Access("getChar", 2, ByteBufferView::getChar),
        new Access("getChar order", 2, (view, index) -> view.getChar(index, BIG_ENDIAN)),
        new Access("getByte", 1, ByteBufferView::getByte),
        new Access("getBytes array", 5, (view, index) -> view.getBytes(index, new byte[5])),
        new Access("getBytes part of array", 5, (view, index) -> view.getBytes(index, new byte[9], 2, 5)),
        new Access("getBytes buffer", 5, (view, index) -> view.getBytes(index, ByteBuffer.allocate(9), 5)),
        new Access("getBytes direct", 5, (view, index) -> view.getBytes(index, ByteBuffer.allocateDirect(9), 4, 5)),
        new Access("getBytes view", 5, (view, index) -> view.getBytes(index, wrap(new byte[9]), 4, 5)),
        new Access("parseNaturalIntAscii", 5, (view, index) -> view.parseNaturalIntAscii(index, 5)),
        new Access("parseNaturalLongAscii", 5, (view, index) -> view.parseNaturalLongAscii(index, 5)),
        new Access("parseIntAscii", 5, (view, index) -> view.parseIntAscii(index, 5)),
        new Access("parseLongAscii", 5, (view, index) -> view.parseLongAscii(index, 5)),
        new Access("getStringAscii", 9, (view, index) -> view.getStringAscii(index, 5)),
        new Access("getStringAscii append", 9, (view, index) -> view.getStringAscii(index, 5, new StringBuilder())),
        new Access("getStringWithoutLengthAscii", 5, (view, index) -> view.getStringWithoutLengthAscii(index, 5)),
        new Access("getStringWithoutLengthAscii append", 5,
            (view, index) -> view.getStringWithoutLengthAscii(index, 5, new StringBuilder())),
        new Access("getStringUtf8", 9, (view, index) -> view.getStringUtf8(index, 5)),
        new Access("getStringWithoutLengthUtf8", 5, (view, index) -> view.getStringWithoutLengthUtf8(index, 5)),
        new Access("boundsCheck", 5, (view, index) -> view.boundsCheck(index, 5)),
        new Access("wrap itself", 5, (view, index) -> new ByteBufferView().wrap(view, index, 5)));

    private static final List<Access> WRITING = List.of(
        new Access("putLong", 8, (view, index) -> view.putLong(index, 7)),
        new Access("putLong order", 8, (view, index) -> view.putLong(index, 7, BIG_ENDIAN)),
        new Access("putDouble", 8, (view, index) -> view.putDouble(index, 7)),
        new Access("putDouble order", 8, (view, index) -> view.putDouble(index, 7, BIG_ENDIAN)),
        new Access("putInt", 4, (view, index) -> view.putInt(index, 7)),
        new Access("putInt order", 4, (view, index) -> view.putInt(index, 7, BIG_ENDIAN)),
        new Access("putFloat", 4, (view, index) -> view.putFloat(index, 7)),
        new Access("putFloat order", 4, (view, index) -> view.putFloat(index, 7, BIG_ENDIAN)),
        new Access("putShort", 2, (view, index) -> view.putShort(index, (short)7)),
        new Access("putShort order", 2, (view, index) -> view.putShort(index, (short)7, BIG_ENDIAN)),
        new Access("putChar", 2, (view, index) -> view.putChar(index, 'x')),
        new Access("putChar order", 2, (view, index) -> view.putChar(index, 'x', BIG_ENDIAN)),
        new Access("putByte", 1, (view, index) -> view.putByte(index, (byte)7)),
        new Access("setMemory", 5, (view, index) -> view.setMemory(index, 5, (byte)7)),
        new Access("setMemory long", 21, (view, index) -> view.setMemory(index, 21, (byte)7)),
        new Access("putBytes array", 5, (view, index) -> view.putBytes(index, FIVE)),
        new Access("putBytes part of array", 5, (view, index) -> view.putBytes(index, new byte[9], 2, 5)),
        new Access("putBytes buffer", 5, (view, index) -> view.putBytes(index, ByteBuffer.allocate(9), 5)),
        new Access("putBytes direct", 5, (view, index) -> view.putBytes(index, ByteBuffer.allocateDirect(9), 4, 5)),
        new Access("putBytes view", 5, (view, index) -> view.putBytes(index, wrap(new byte[9]), 4, 5)),
        new Access("putIntAscii", 5, (view, index) -> view.putIntAscii(index, -1234)),
        new Access("putIntAscii zero", 1, (view, index) -> view.putIntAscii(index, 0)),
        new Access("putIntAscii smallest", 11, (view, index) -> view.putIntAscii(index, Integer.MIN_VALUE)),
        new Access("putNaturalIntAscii", 5, (view, index) -> view.putNaturalIntAscii(index, 12345)),
        new Access("putNaturalPaddedIntAscii", 5, (view, index) -> view.putNaturalPaddedIntAscii(index, 5, 12)),
        new Access("putNaturalIntAsciiFromEnd", 5, (view, index) -> view.putNaturalIntAsciiFromEnd(54321, index + 5)),
        new Access("putNaturalLongAscii", 5, (view, index) -> view.putNaturalLongAscii(index, 12345)),
        new Access("putLongAscii", 5, (view, index) -> view.putLongAscii(index, -1234)),
        new Access("putLongAscii smallest", 20, (view, index) -> view.putLongAscii(index, Long.MIN_VALUE)),
        new Access("putStringAscii", 9, (view, index) -> view.putStringAscii(index, "hello")),
        new Access("putStringAscii null", 4, (view, index) -> view.putStringAscii(index, (String)null)),
        new Access("putStringAscii chars", 9, (view, index) -> view.putStringAscii(index, CharBuffer.wrap("hello"))),
        new Access("putStringAscii order", 9, (view, index) -> view.putStringAscii(index, "hello", BIG_ENDIAN)),
        new Access("putStringWithoutLengthAscii", 5, (view, index) -> view.putStringWithoutLengthAscii(index, "hello")),
        new Access("putStringWithoutLengthAscii part", 5,
            (view, index) -> view.putStringWithoutLengthAscii(index, "say hello", 4, 99)),
        new Access("putStringUtf8", 9, (view, index) -> view.putStringUtf8(index, "h\u20ACj")),
        new Access("putStringUtf8 order", 9, (view, index) -> view.putStringUtf8(index, "h\u20ACj", BIG_ENDIAN)),
        new Access("putStringUtf8 null", 8, (view, index) -> view.putStringUtf8(index, null)),
        new Access("putStringWithoutLengthUtf8", 5,
            (view, index) -> view.putStringWithoutLengthUtf8(index, "h\u20ACj")));

    @ParameterizedTest
    @MethodSource("regions")
    void everyAccessEndsAtTheRegion(final Region region)
    {
        final List<Access> all = new ArrayList<>(READING);
        all.addAll(WRITING);
        for (final Access access : all)
        {
            region.fill(region.offset, region.length, (byte)'1');
            final int last = region.length - access.size();
            access.use().at(region.view, 0);
            access.use().at(region.view, last);
            assertCanaries(region, access.name());

            final byte[] before = region.everything();
            for (final int index : new int[]{
                -1, -4, -access.size(), last + 1, region.length, region.length + 1,
                Integer.MAX_VALUE, Integer.MAX_VALUE - 3, Integer.MAX_VALUE - access.size(), Integer.MIN_VALUE })
            {
                final String message = access.name() + " at " + index;
                assertThrows(IndexOutOfBoundsException.class, () -> access.use().at(region.view, index), message);
                assertArrayEquals(before, region.everything(), message);
            }
        }
    }

    private static void assertCanaries(final Region region, final String message)
    {
        final byte[] bytes = region.everything();
        for (int i = 0; i < bytes.length; i++)
        {
            if (i < region.offset || i >= region.offset + region.length)
            {
                assertEquals(CANARY, bytes[i], message);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("regions")
    void everyWriteToReadOnlyMemoryIsRejected(final Region region)
    {
        final byte[] before = region.everything();
        for (final Access access : WRITING)
        {
            assertThrows(ReadOnlyBufferException.class, () -> access.use().at(region.readOnlyView, 0), access.name());
            assertArrayEquals(before, region.everything(), access.name());
        }
        assertThrows(ReadOnlyBufferException.class, () -> region.readOnlyView.putBytes(0, new byte[0]));
        assertThrows(ReadOnlyBufferException.class, () -> region.readOnlyView.putStringWithoutLengthAscii(0, ""));
        assertThrows(ReadOnlyBufferException.class, () -> region.view.getBytes(0, region.readOnlyView, 0, 5));

        // Some write without asking: such a source must not even be called.
        final DirectBuffer rude = foreign(new byte[8], null, 0, 8);
        assertThrows(ReadOnlyBufferException.class, () -> region.readOnlyView.putBytes(0, rude, 0, 8));
    }

    @ParameterizedTest
    @MethodSource("regions")
    void everyReadOfReadOnlyMemoryIsAllowed(final Region region)
    {
        for (final Access access : READING)
        {
            assertDoesNotThrow(() -> access.use().at(region.readOnlyView, region.length - access.size()),
                access.name());
        }
    }

    @ParameterizedTest
    @MethodSource("regions")
    void lengthPrefixReachingPastTheRegionIsRejected(final Region region)
    {
        final ByteBufferView view = region.view;
        final int index = 8;
        final int rest = region.length - index - DirectBuffer.STR_HEADER_LEN;
        for (final ByteOrder order : List.of(LITTLE_ENDIAN, BIG_ENDIAN))
        {
            view.putInt(index, rest, order);
            assertEquals("1".repeat(rest), view.getStringAscii(index, order));
            assertEquals("1".repeat(rest), view.getStringUtf8(index, order));
            assertEquals(rest, view.getStringAscii(index, new StringBuilder(), order));

            for (final int length : new int[]{ rest + 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE })
            {
                view.putInt(index, length, order);
                final StringBuilder text = new StringBuilder();
                assertOutOfBounds(() -> view.getStringAscii(index, order));
                assertOutOfBounds(() -> view.getStringUtf8(index, order));
                assertOutOfBounds(() -> view.getStringAscii(index, text, order));
                if (NATIVE == order)
                {
                    assertOutOfBounds(() -> view.getStringAscii(index));
                    assertOutOfBounds(() -> view.getStringUtf8(index));
                    assertOutOfBounds(() -> view.getStringAscii(index, text));
                }
                assertEquals("", text.toString());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { -1, Integer.MIN_VALUE, Integer.MAX_VALUE })
    void invalidLengthIsRejected(final int length)
    {
        final Region region = new Region(Memory.DIRECT, 8, 64, 8);
        final byte[] before = region.everything();
        final ByteBufferView view = region.view;
        for (final int index : new int[]{ 0, 1, 64 })
        {
            assertOutOfBounds(() -> view.boundsCheck(index, length));
            assertOutOfBounds(() -> view.setMemory(index, length, (byte)0));
            assertOutOfBounds(() -> view.getBytes(index, new byte[99], 0, length));
            assertOutOfBounds(() -> view.getBytes(index, ByteBuffer.allocate(99), length));
            assertOutOfBounds(() -> view.getBytes(index, ByteBuffer.allocate(99), 0, length));
            assertOutOfBounds(() -> view.getBytes(index, wrap(new byte[99]), 0, length));
            assertOutOfBounds(() -> view.putBytes(index, new byte[99], 0, length));
            assertOutOfBounds(() -> view.putBytes(index, ByteBuffer.allocate(99), length));
            assertOutOfBounds(() -> view.putBytes(index, ByteBuffer.allocate(99), 0, length));
            assertOutOfBounds(() -> view.putBytes(index, wrap(new byte[99]), 0, length));
            assertOutOfBounds(() -> view.getStringAscii(index, length));
            assertOutOfBounds(() -> view.getStringAscii(index, length, new StringBuilder()));
            assertOutOfBounds(() -> view.getStringUtf8(index, length));
            assertOutOfBounds(() -> view.getStringWithoutLengthAscii(index, length));
            assertOutOfBounds(() -> view.getStringWithoutLengthAscii(index, length, new StringBuilder()));
            assertOutOfBounds(() -> view.getStringWithoutLengthUtf8(index, length));
            assertOutOfBounds(() -> view.parseIntAscii(index, length));
            assertOutOfBounds(() -> view.parseLongAscii(index, length));
            assertOutOfBounds(() -> view.parseNaturalIntAscii(index, length));
            assertOutOfBounds(() -> view.parseNaturalLongAscii(index, length));
            assertOutOfBounds(() -> view.putNaturalPaddedIntAscii(index, length, 1));
            assertOutOfBounds(() -> new ByteBufferView().wrap(view, index, length));
        }
        assertArrayEquals(before, region.everything());
    }

    @Test
    void otherSideOfACopyIsCheckedToo()
    {
        final Region region = new Region(Memory.HEAP, 8, 64, 8);
        final byte[] before = region.everything();
        final ByteBufferView view = region.view;

        assertOutOfBounds(() -> view.getBytes(0, new byte[9], 5, 5));
        assertOutOfBounds(() -> view.getBytes(0, new byte[9], -1, 5));
        assertOutOfBounds(() -> view.getBytes(0, ByteBuffer.allocate(9), 5, 5));
        assertOutOfBounds(() -> view.getBytes(0, ByteBuffer.allocate(9).limit(4), 5));
        assertOutOfBounds(() -> view.getBytes(0, wrap(new byte[9]), 5, 5));
        assertOutOfBounds(() -> view.putBytes(0, new byte[9], 5, 5));
        assertOutOfBounds(() -> view.putBytes(0, new byte[9], -1, 5));
        assertOutOfBounds(() -> view.putBytes(0, ByteBuffer.allocate(9), 5, 5));
        assertOutOfBounds(() -> view.putBytes(0, ByteBuffer.allocate(9).limit(4), 5));
        assertOutOfBounds(() -> view.putBytes(0, wrap(new byte[9]), 5, 5));
        assertOutOfBounds(() -> view.putStringWithoutLengthAscii(0, "hello", 6, 5));
        assertOutOfBounds(() -> view.putStringWithoutLengthAscii(0, "hello", -1, 5));

        assertArrayEquals(before, region.everything());
    }

    @Test
    void failedRelativeCopyLeavesThePosition()
    {
        final ByteBufferView view = new Region(Memory.HEAP, 8, 64, 8).view;
        final ByteBuffer other = ByteBuffer.allocate(9).position(3);

        assertOutOfBounds(() -> view.getBytes(60, other, 5));
        assertOutOfBounds(() -> view.putBytes(60, other, 5));

        assertEquals(3, other.position());
    }

    @Test
    void boundsMessageNamesTheValues()
    {
        final ByteBufferView view = new Region(Memory.DIRECT, 8, 64, 8).view;

        final Exception access = assertThrows(IndexOutOfBoundsException.class, () -> view.getLong(60));
        final Exception limit = assertThrows(IndexOutOfBoundsException.class, () -> view.checkLimit(65));

        assertEquals("out of bounds: index=60, length=8, capacity=64", access.getMessage());
        assertEquals("limit beyond capacity: limit=65, capacity=64", limit.getMessage());
        assertDoesNotThrow(() -> view.checkLimit(64));
    }

    @Test
    void nothingOfLengthZeroMayLieAtTheEnd()
    {
        final ByteBufferView view = new Region(Memory.DIRECT, 8, 64, 8).view;

        view.getBytes(64, new byte[0]);
        view.putBytes(64, new byte[0]);
        view.setMemory(64, 0, (byte)1);
        view.boundsCheck(64, 0);
        assertEquals("", view.getStringWithoutLengthAscii(64, 0));
        assertEquals("", view.getStringWithoutLengthUtf8(64, 0));
        assertEquals(0, view.putStringWithoutLengthAscii(64, ""));
        assertOutOfBounds(() -> view.boundsCheck(65, 0));
    }

    private static void assertOutOfBounds(final Runnable action)
    {
        assertThrows(IndexOutOfBoundsException.class, action::run);
    }

    // ---- wrapping

    @Test
    void newViewIsEmpty()
    {
        final ByteBufferView view = new ByteBufferView();

        assertEquals(0, view.capacity());
        assertOutOfBounds(() -> view.getByte(0));
        assertOutOfBounds(() -> view.putByte(0, (byte)1));
    }

    @Test
    void wrappingTheSameBufferElsewhereMovesTheView()
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(LITTLE_ENDIAN).putLong(16, 1).putLong(40, 2);
        final ByteBufferView view = new ByteBufferView();

        view.wrap(buffer, 16, 8);
        assertEquals(1, view.getLong(0, LITTLE_ENDIAN));
        assertEquals(16, view.wrapAdjustment());
        view.wrap(buffer, 40, 24);
        assertEquals(2, view.getLong(0, LITTLE_ENDIAN));
        assertEquals(24, view.capacity());
        view.wrap(buffer);
        assertEquals(1, view.getLong(16, LITTLE_ENDIAN));
        assertEquals(64, view.capacity());
    }

    @Test
    void regionOfLengthZeroTakesTheMemoryBack()
    {
        final ByteBuffer buffer = ByteBuffer.allocate(64);
        final ByteBufferView view = new ByteBufferView();
        view.wrap(buffer, 0, 64);

        view.wrap(buffer, 0, 0);

        assertOutOfBounds(() -> view.putByte(0, (byte)1));
        assertOutOfBounds(() -> view.getByte(0));
    }

    @Test
    void impossibleRegionIsRejectedAndTheViewStays()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(new byte[]{ 1, 2, 3, 4 }, 1, 2);
        final ByteBufferView other = new Region(Memory.HEAP, 8, 16, 8).view;

        for (final int[] part : new int[][]{ { -1, 2 }, { 2, -1 }, { 0, 17 }, { 17, 0 }, { 9, Integer.MAX_VALUE } })
        {
            assertOutOfBounds(() -> view.wrap(new byte[16], part[0], part[1]));
            assertOutOfBounds(() -> view.wrap(ByteBuffer.allocate(16), part[0], part[1]));
            assertOutOfBounds(() -> view.wrap(other, part[0], part[1]));
        }

        assertEquals(2, view.capacity());
        assertEquals(2, view.getByte(0));
        assertEquals(3, view.getByte(1));
    }

    @Test
    void positionLimitAndOrderOfTheWrappedBufferPlayNoRole()
    {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(64).position(10).limit(20).order(BIG_ENDIAN);
        final ByteBufferView view = new ByteBufferView();
        view.wrap(buffer, 32, 32);

        view.putLong(0, 7, LITTLE_ENDIAN);
        buffer.limit(12).order(LITTLE_ENDIAN);
        view.putInt(28, 9, BIG_ENDIAN);

        assertEquals(7, view.getLong(0, LITTLE_ENDIAN));
        assertEquals(9, view.getInt(28, BIG_ENDIAN));
        assertEquals(10, buffer.position());
        assertEquals(12, buffer.limit());
    }

    @Test
    void viewOfAViewSeesTheSameMemory()
    {
        final Region region = new Region(Memory.DIRECT, 8, 64, 8);
        final ByteBufferView whole = new ByteBufferView();
        final ByteBufferView part = new ByteBufferView();
        final ByteBufferView readOnlyPart = new ByteBufferView();

        whole.wrap(region.view);
        part.wrap(whole, 16, 8);
        readOnlyPart.wrap(region.readOnlyView, 16, 8);
        part.putLong(0, 42);

        assertEquals(64, whole.capacity());
        assertEquals(42, region.view.getLong(16));
        assertEquals(42, readOnlyPart.getLong(0));
        assertEquals(24, part.wrapAdjustment());
        assertOutOfBounds(() -> part.getByte(8));
        assertThrows(ReadOnlyBufferException.class, () -> readOnlyPart.putByte(0, (byte)1));

        part.wrap(part, 4, 4);
        assertEquals(region.view.getInt(20), part.getInt(0));
    }

    @Test
    void foreignBuffersAreWrappedThroughWhatTheyShow()
    {
        final byte[] array = { 0, 1, 2, 3, 4, 5, 6, 7 };
        final ByteBuffer heap = ByteBuffer.wrap(array);
        final ByteBuffer direct = ByteBuffer.allocateDirect(8).put(0, array);
        final ByteBufferView view = new ByteBufferView();

        view.wrap(foreign(array, null, 2, 6));
        assertEquals(2, view.getByte(0));
        assertEquals(6, view.capacity());

        view.wrap(foreign(null, direct, 2, 6), 1, 3);
        assertEquals(3, view.getByte(0));
        assertEquals(3, view.capacity());

        view.wrap(foreign(array, heap, 1, 6), 1, 3);
        view.putByte(0, (byte)9);
        assertEquals(9, array[2]);

        view.wrap(foreign(array, heap.asReadOnlyBuffer(), 1, 6), 1, 3);
        assertEquals(9, view.getByte(0));
        assertThrows(ReadOnlyBufferException.class, () -> view.putByte(0, (byte)1));

        assertThrows(IllegalArgumentException.class, () -> view.wrap(foreign(null, null, 0, 6)));
    }

    private static DirectBuffer foreign(
        final byte[] array, final ByteBuffer buffer, final int wrapAdjustment, final int capacity)
    {
        return (DirectBuffer)Proxy.newProxyInstance(
            ByteBufferViewTest.class.getClassLoader(),
            new Class<?>[]{ DirectBuffer.class },
            (proxy, method, args) ->
            {
                return switch (method.getName())
                {
                    case "byteArray" -> array;
                    case "byteBuffer" -> buffer;
                    case "wrapAdjustment" -> wrapAdjustment;
                    case "capacity" -> capacity;
                    case "toString" -> "foreign";
                    default -> throw new AssertionError(method);
                };
            });
    }

    @ParameterizedTest
    @MethodSource("regions")
    void memoryIsNotHandedOut(final Region region)
    {
        for (final ByteBufferView view : List.of(region.view, region.readOnlyView))
        {
            assertNull(view.byteArray());
            assertNull(view.byteBuffer());
            assertThrows(UnsupportedOperationException.class, view::addressOffset);
            assertThrows(UnsupportedOperationException.class, () -> view.wrap(0L, 8));
            assertEquals(region.offset, view.wrapAdjustment());
            assertEquals(region.length, view.capacity());
            assertFalse(view.isExpandable());
        }
    }

    @Test
    void factoriesWrapWhatTheySay()
    {
        final byte[] array = { 0, 1, 2, 3, 4, 5, 6, 7 };
        final ByteBuffer buffer = ByteBuffer.wrap(array).position(2).limit(5);

        assertEquals(8, wrap(array).capacity());
        assertEquals(3, wrap(array, 3, 4).getByte(0));
        assertEquals(4, wrap(array, 3, 4).capacity());
        assertEquals(2, wrap(buffer).getByte(0));
        assertEquals(3, wrap(buffer).capacity());
        final ByteBufferView part = new ByteBufferView();
        part.wrap(buffer, 6, 2);
        assertEquals(6, part.getByte(0));
        assertEquals(2, part.capacity());
        assertOutOfBounds(() -> new ByteBufferView().wrap(buffer, 6, 3));
        assertOutOfBounds(() -> new ByteBufferView().wrap(array, 6, 3));
        assertThrows(
            ReadOnlyBufferException.class, () -> wrap(buffer.asReadOnlyBuffer()).putByte(0, (byte)1));

        wrap(buffer).putByte(0, (byte)9);
        assertEquals(9, array[2]);
        assertEquals(2, buffer.position());
    }

    // ---- numbers as text

    @ParameterizedTest
    @ValueSource(strings = {
        "0", "-0", "1", "-1", "9", "10", "007", "-007", "99999999", "999999999", "1000000000", "2147483647",
        "-2147483648", "0000000001" })
    void intsAreParsed(final String text)
    {
        final ByteBufferView view = textAtTheEnd(text);

        assertEquals(Integer.parseInt(text), view.parseIntAscii(3, text.length()));
        assertEquals(Long.parseLong(text), view.parseLongAscii(3, text.length()));
        if (!text.startsWith("-"))
        {
            assertEquals(Integer.parseInt(text), view.parseNaturalIntAscii(3, text.length()));
            assertEquals(Long.parseLong(text), view.parseNaturalLongAscii(3, text.length()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "2147483648", "99999999999", "999999999999999999", "1000000000000000000", "9223372036854775807",
        "-9223372036854775808", "-2147483649", "0000000000000000001" })
    void longsAreParsed(final String text)
    {
        final ByteBufferView view = textAtTheEnd(text);

        assertEquals(Long.parseLong(text), view.parseLongAscii(3, text.length()));
        if (!text.startsWith("-"))
        {
            assertEquals(Long.parseLong(text), view.parseNaturalLongAscii(3, text.length()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "2147483648", "-2147483649", "9999999999", "00000000001", "9223372036854775807", "18446744073709551617" })
    void intsThatOverflowAreRejected(final String text)
    {
        final ByteBufferView view = textAtTheEnd(text);

        final Exception ex = assertThrows(
            AsciiNumberFormatException.class, () -> view.parseIntAscii(3, text.length()));

        assertEquals("int overflow parsing: " + text, ex.getMessage());
        assertThrows(AsciiNumberFormatException.class, () -> view.parseNaturalIntAscii(3, text.length()));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "9223372036854775808", "-9223372036854775809", "9999999999999999999", "10000000000000000000",
        "18446744073709551616", "00000000000000000001" })
    void longsThatOverflowAreRejected(final String text)
    {
        final ByteBufferView view = textAtTheEnd(text);

        final Exception ex = assertThrows(
            AsciiNumberFormatException.class, () -> view.parseLongAscii(3, text.length()));

        assertEquals("long overflow parsing: " + text, ex.getMessage());
        assertThrows(AsciiNumberFormatException.class, () -> view.parseNaturalLongAscii(3, text.length()));
    }

    @ParameterizedTest
    @ValueSource(
        strings = { "", "-", "+1", "--1", "1-", " 1", "1 ", "12:4", "12/4", "1234567/", "x", "1\u00e9", "1_0" })
    void invalidNumberIsRejected(final String text)
    {
        final ByteBufferView view = textAtTheEnd(text);
        final int length = text.getBytes(UTF_8).length;

        assertThrows(AsciiNumberFormatException.class, () -> view.parseIntAscii(3, length));
        assertThrows(AsciiNumberFormatException.class, () -> view.parseLongAscii(3, length));
        assertThrows(AsciiNumberFormatException.class, () -> view.parseNaturalIntAscii(3, length));
        assertThrows(AsciiNumberFormatException.class, () -> view.parseNaturalLongAscii(3, length));
    }

    @Test
    void minusIsNoPartOfANaturalNumber()
    {
        final ByteBufferView view = textAtTheEnd("-12");

        assertThrows(AsciiNumberFormatException.class, () -> view.parseNaturalIntAscii(3, 3));
        assertThrows(AsciiNumberFormatException.class, () -> view.parseNaturalLongAscii(3, 3));
    }

    /** Digits lie around the text: reading one too many would be seen. */
    private static ByteBufferView textAtTheEnd(final String text)
    {
        final byte[] encoded = text.getBytes(UTF_8);
        final byte[] bytes = new byte[8 + 3 + encoded.length + 8];
        Arrays.fill(bytes, (byte)'7');
        System.arraycopy(encoded, 0, bytes, 8 + 3, encoded.length);
        final ByteBufferView view = new ByteBufferView();
        view.wrap(bytes, 8, 3 + encoded.length);
        return view;
    }

    @Test
    void everyNumberOfDigitsIsWritten()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(new byte[32]);
        final List<Long> values = new ArrayList<>(List.of(0L, Long.MAX_VALUE, Long.MIN_VALUE));
        for (long power = 1; power > 0 && power <= Long.MAX_VALUE / 10; power *= 10)
        {
            values.addAll(List.of(power, -power, power - 1, 1 - power, power + 1, -power - 1));
        }
        for (int bit = 0; bit < 63; bit++)
        {
            values.addAll(List.of(1L << bit, -1L << bit, (1L << bit) - 1));
        }

        for (final long value : values)
        {
            assertWritten(Long.toString(value), view, view.putLongAscii(5, value));
            assertWritten(Integer.toString((int)value), view, view.putIntAscii(5, (int)value));
            if (value >= 0)
            {
                assertWritten(Long.toString(value), view, view.putNaturalLongAscii(5, value));
            }
            if ((int)value >= 0)
            {
                assertWritten(Integer.toString((int)value), view, view.putNaturalIntAscii(5, (int)value));
            }
        }
    }

    private static void assertWritten(final String expected, final ByteBufferView view, final int length)
    {
        assertEquals(expected, view.getStringWithoutLengthAscii(5, length));
    }

    @Test
    void negativeNumberIsNoNaturalNumber()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(new byte[32]);

        assertThrows(IllegalArgumentException.class, () -> view.putNaturalIntAscii(0, -1));
        assertThrows(IllegalArgumentException.class, () -> view.putNaturalLongAscii(0, Long.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> view.putNaturalPaddedIntAscii(0, 5, -1));
        assertThrows(IllegalArgumentException.class, () -> view.putNaturalIntAsciiFromEnd(-1, 12));
        assertEquals(wrap(new byte[32]), view);
    }

    @Test
    void numberThatDoesNotFitItsPaddingIsRejected()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(new byte[32]);

        assertThrows(NumberFormatException.class, () -> view.putNaturalPaddedIntAscii(0, 0, 1));
        assertThrows(NumberFormatException.class, () -> view.putNaturalPaddedIntAscii(0, 2, 100));
        assertThrows(NumberFormatException.class, () -> view.putNaturalPaddedIntAscii(0, 9, 1_000_000_000));
        assertEquals(wrap(new byte[32]), view);

        view.putNaturalPaddedIntAscii(0, 0, 0);
        view.putNaturalPaddedIntAscii(0, 10, Integer.MAX_VALUE);
        view.putNaturalPaddedIntAscii(10, 12, Integer.MAX_VALUE);
        assertEquals("2147483647002147483647", view.getStringWithoutLengthAscii(0, 22));
    }

    @Test
    void zeroFromTheEndWritesNothingAsInAgrona()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(new byte[8]);

        assertEquals(8, view.putNaturalIntAsciiFromEnd(0, 8));
        assertEquals(wrap(new byte[8]), view);
        assertOutOfBounds(() -> view.putNaturalIntAsciiFromEnd(0, 0));
        assertOutOfBounds(() -> view.putNaturalIntAsciiFromEnd(10, 1));
    }

    // ---- strings

    @Test
    void nullStringsAreWrittenAsAgronaWritesThem()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(new byte[16]);
        view.setMemory(0, 16, (byte)'x');

        assertEquals(0, view.putStringWithoutLengthAscii(0, (String)null));
        assertEquals(0, view.putStringWithoutLengthAscii(0, (CharSequence)null));
        assertEquals(0, view.putStringWithoutLengthAscii(0, (String)null, 0, 5));
        assertEquals(0, view.putStringWithoutLengthAscii(0, (CharSequence)null, 0, 5));
        assertEquals("xxxx", view.getStringWithoutLengthAscii(0, 4));
        assertEquals(4, view.putStringAscii(0, (String)null));
        assertEquals(4, view.putStringAscii(0, (CharSequence)null));
        assertEquals(4, view.putStringAscii(0, (String)null, BIG_ENDIAN));
        assertEquals(4, view.putStringAscii(0, (CharSequence)null, BIG_ENDIAN));
        assertEquals("", view.getStringAscii(0));
        assertEquals(8, view.putStringUtf8(0, null));
        assertEquals("null", view.getStringUtf8(0));
        assertEquals(4, view.putStringWithoutLengthUtf8(0, null));
    }

    @Test
    void encodedStringLongerThanItsMaximumIsRejected()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(new byte[16]);

        assertThrows(IllegalArgumentException.class, () -> view.putStringUtf8(0, "\u20AC\u20AC", 5));
        assertThrows(IllegalArgumentException.class, () -> view.putStringUtf8(0, "\u20AC\u20AC", BIG_ENDIAN, 5));
        assertEquals(wrap(new byte[16]), view);
        assertEquals(10, view.putStringUtf8(0, "\u20AC\u20AC", 6));
    }

    @Test
    void failingAppendableThrows()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap("text".getBytes(US_ASCII));

        // A pipe that leads nowhere fails with the first character.
        assertThrows(IOException.class, () -> view.getStringWithoutLengthAscii(0, 4, new PipedWriter()));
    }

    // ---- comparing

    @Test
    void equalContentIsEqualWhereverItLies()
    {
        final byte[] bytes = "thirteen char".getBytes(StandardCharsets.US_ASCII);
        final ByteBufferView direct = new ByteBufferView();
        direct.wrap(ByteBuffer.allocateDirect(32).put(7, bytes).asReadOnlyBuffer(), 7, 13);
        final MutableDirectBuffer heap = wrap(bytes);

        assertEquals(heap, direct);
        assertEquals(direct, heap);
        assertEquals(heap, heap);
        assertEquals(heap.hashCode(), direct.hashCode());
        assertEquals(0, heap.compareTo(direct));

        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] ^= 1;
            assertNotEquals(heap, direct, "i=" + i);
            assertTrue(heap.compareTo(direct) * direct.compareTo(heap) < 0, "i=" + i);
            bytes[i] ^= 1;
        }
        assertNotEquals(wrap(bytes, 0, 12), direct);
        assertFalse(direct.equals(null));
        assertFalse(direct.equals((Object)"thirteen char"));
    }

    @Test
    void orderIsByNativeLongsThenBytesThenCapacity()
    {
        final byte[] smaller = new byte[10];
        final byte[] larger = new byte[10];
        wrap(smaller).putLong(0, -1);
        wrap(larger).putLong(0, 1);
        assertEquals(-1, wrap(smaller).compareTo(wrap(larger)));
        assertEquals(1, wrap(larger).compareTo(wrap(smaller)));

        wrap(smaller).putLong(0, 1);
        smaller[8] = -1;
        assertTrue(wrap(smaller).compareTo(wrap(larger)) < 0);

        assertEquals(-1, wrap(smaller, 0, 9).compareTo(wrap(smaller)));
        assertEquals(1, wrap(smaller).compareTo(wrap(smaller, 0, 8)));
    }

    @Test
    void toStringShowsTheRegionAndNoContent()
    {
        final Region region = new Region(Memory.DIRECT, 8, 64, 8);

        assertEquals(
            "ByteBufferView{offset=8, capacity=64, isDirect=true, isReadOnly=false}", region.view.toString());
        assertEquals(
            "ByteBufferView{offset=8, capacity=64, isDirect=true, isReadOnly=true}", region.readOnlyView.toString());
    }

    // ---- allocation

    @ParameterizedTest
    @MethodSource("regions")
    void primitiveAndBulkMethodsDoNotAllocate(final Region region)
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final Exercise exercise = new Exercise(region);
        for (int i = 0; i < 2_000; i++)
        {
            exercise.run();
        }

        // The best of a few rounds: the JVM may do work of its own on this thread.
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 10 && allocated > 0; round++)
        {
            final long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 500; i++)
            {
                exercise.run();
            }
            allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
        }

        assertEquals(0, allocated, "bytes allocated by 500 rounds, sum=" + exercise.sum);
    }

    private static final class Exercise
    {
        final Region region;
        final ByteBuffer readOnlyBuffer;
        final byte[] array = new byte[32];
        final ByteBuffer heap = ByteBuffer.allocate(32);
        final ByteBuffer direct = ByteBuffer.allocateDirect(32);
        final MutableDirectBuffer other = wrap(new byte[32]);
        final ByteBufferView part = new ByteBufferView();
        final ByteBufferView arrayView = new ByteBufferView();
        long sum;

        Exercise(final Region region)
        {
            this.region = region;
            readOnlyBuffer = region.buffer.asReadOnlyBuffer();
        }

        void run()
        {
            final ByteBufferView view = region.view;
            view.wrap(region.buffer, region.offset, region.length);
            view.putLong(0, sum);
            view.putLong(8, sum, BIG_ENDIAN);
            view.putInt(16, (int)sum);
            view.putInt(20, (int)sum, BIG_ENDIAN);
            view.putShort(24, (short)sum);
            view.putShort(26, (short)sum, BIG_ENDIAN);
            view.putChar(28, (char)sum);
            view.putByte(30, (byte)sum);
            view.putDouble(32, sum);
            view.putFloat(40, sum);
            view.setMemory(44, 17, (byte)sum);
            view.putBytes(1, array);
            view.putBytes(2, array, 3, 20);
            view.putBytes(3, heap.clear(), 32);
            view.putBytes(4, direct.clear(), 5, 20);
            view.putBytes(5, other, 3, 20);
            view.putStringWithoutLengthAscii(0, "plain text");
            sum += view.putLongAscii(20, sum);

            read(view);
            read(region.readOnlyView);
            region.readOnlyView.wrap(readOnlyBuffer, region.offset, region.length);
            part.wrap(view, 3, 40);
            read(part);
            arrayView.wrap(array, (int)(sum & 7), 20);
            sum += arrayView.getLong(0);
        }

        private void read(final ByteBufferView view)
        {
            sum += view.getLong(0) + view.getLong(8, BIG_ENDIAN);
            sum += view.getInt(16) + view.getInt(20, BIG_ENDIAN);
            sum += view.getShort(24) + view.getShort(26, BIG_ENDIAN) + view.getChar(28) + view.getByte(30);
            sum += (long)view.getDouble(32) + (long)view.getFloat(36);
            view.getBytes(1, array);
            view.getBytes(2, array, 3, 20);
            view.getBytes(3, heap.clear(), 32);
            view.getBytes(4, direct.clear(), 5, 20);
            view.getBytes(5, other, 3, 20);
            sum += view.hashCode() + view.compareTo(other);
        }
    }

    private static MutableDirectBuffer wrap(final byte[] array)
    {
        return JournalAppender.wrap(array);
    }

    private static MutableDirectBuffer wrap(final ByteBuffer buffer)
    {
        return JournalAppender.wrap(buffer);
    }

    private static MutableDirectBuffer wrap(final byte[] array, final int offset, final int length)
    {
        return wrap(ByteBuffer.wrap(array, offset, length));
    }
}
