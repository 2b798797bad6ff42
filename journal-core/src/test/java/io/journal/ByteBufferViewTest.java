// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.io.IOException;
import java.io.PipedWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;
import io.journal.internal.buffer.ByteBufferView;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static java.nio.ByteOrder.BIG_ENDIAN;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
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
    static final class Region
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
            for (int i = 0; i < buffer.capacity(); i++)
            {
                buffer.put(i, CANARY);
            }
            view.wrap(buffer, offset, length);
            readOnlyView.wrap(buffer.asReadOnlyBuffer(), offset, length);
        }

        void put(final byte[] content)
        {
            buffer.put(offset, content);
        }

        byte[] bytes()
        {
            final byte[] bytes = new byte[length];
            buffer.get(offset, bytes);
            return bytes;
        }

        void assertNothingOutside(final String message)
        {
            for (int i = 0; i < buffer.capacity(); i++)
            {
                assertTrue(i >= offset && i < offset + length || CANARY == buffer.get(i), message);
            }
        }

        @Override
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

    /** Also each access beyond the region: it throws, and writes nothing. */
    @Tag("slow")
    @Test
    void resultsAreThoseOfAgronaOrTheAccessIsRefused() throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            AgronaComparison.class.getName()).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), US_ASCII);
        assertEquals(0, process.waitFor(), output);
        assertTrue(output.matches("(?s).*methods=[67][0-9]\\s*"), output);
    }

    // ---- differences from Agrona's buffer

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
    void limitOfTheOtherBufferIsNotExceeded()
    {
        final ByteBufferView view = new Region(Memory.HEAP, 8, 64, 8).view;

        assertOutOfBounds(() -> view.getBytes(0, ByteBuffer.allocate(9).limit(4), 5));
        assertOutOfBounds(() -> view.putBytes(0, ByteBuffer.allocate(9).limit(4), 5));
    }

    /** Some buffers write without asking: as a source for read-only memory they must not even be called. */
    @Test
    void foreignSourceForReadOnlyMemoryIsNotCalled()
    {
        final Region region = new Region(Memory.DIRECT, 8, 64, 8);
        final DirectBuffer rude = foreign(new byte[8], null, 0, 8);

        assertThrows(ReadOnlyBufferException.class, () -> region.readOnlyView.putBytes(0, rude, 0, 8));
        assertThrows(ReadOnlyBufferException.class, () -> region.view.getBytes(0, region.readOnlyView, 0, 5));
    }

    @Test
    void bufferOfAnotherClassIsNeverEqual()
    {
        final MutableDirectBuffer view = wrap(new byte[8]);

        assertFalse(view.equals(null));
        assertFalse(view.equals((Object)foreign(new byte[8], null, 0, 8)));
    }

    @Test
    void failingAppendableThrows()
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap("text".getBytes(US_ASCII));

        // A pipe that leads nowhere fails with the first character.
        assertThrows(IOException.class, () -> view.getStringWithoutLengthAscii(0, 4, new PipedWriter()));
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
