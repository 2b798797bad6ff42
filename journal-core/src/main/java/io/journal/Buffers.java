package io.journal;

import java.nio.ByteBuffer;

import io.journal.internal.buffer.ByteBufferView;
import org.agrona.MutableDirectBuffer;

/**
 * Wraps a caller's memory in a {@link MutableDirectBuffer} that needs no JVM flag.
 * <p>
 * Agrona's own buffers die without {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}; these do not. They
 * hold the same bytes for the same calls, so SBE codecs encode into them as they are. What differs:
 * <ul>
 *     <li>every access is checked against the wrapped region, whatever {@code agrona.disable.bounds.checks} says;</li>
 *     <li>over a read-only {@link ByteBuffer} each put throws {@link java.nio.ReadOnlyBufferException};</li>
 *     <li>the limit of a {@link ByteBuffer} that is copied from or into is respected;</li>
 *     <li>the memory itself is not handed out: {@code byteArray()} and {@code byteBuffer()} return null and
 *     {@code addressOffset()} throws {@link UnsupportedOperationException}. So Agrona's {@code UnsafeBuffer} can
 *     neither wrap such a buffer nor take it as the {@code DirectBuffer} to copy from: call {@code getBytes} of this
 *     one with the other as destination. After a failed wrap an {@code UnsafeBuffer} must be wrapped anew before use:
 *     it took the capacity already, not yet the memory.</li>
 * </ul>
 * A buffer may be read by many threads; putting, or wrapping something else, is for one at a time.
 */
public final class Buffers
{
    private Buffers()
    {
    }

    /**
     * Wraps a whole array.
     *
     * @param array to be read and written through the result.
     * @return a buffer of the array's length.
     */
    public static MutableDirectBuffer wrap(final byte[] array)
    {
        return wrap(array, 0, array.length);
    }

    /**
     * Wraps part of an array. Nothing outside it can be reached through the result.
     *
     * @param array  to be read and written through the result.
     * @param offset in the array at which index 0 of the result lies.
     * @param length of the result in bytes.
     * @return a buffer of the given length.
     * @throws IndexOutOfBoundsException if the part does not lie inside the array.
     */
    public static MutableDirectBuffer wrap(final byte[] array, final int offset, final int length)
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(array, offset, length);
        return view;
    }

    /**
     * Wraps what remains of a buffer: index 0 of the result lies at the buffer's present position, and its capacity
     * is what is left to the limit. (Agrona's {@code wrap(ByteBuffer)} takes the whole; for that pass 0 and the
     * capacity to {@link #wrap(ByteBuffer, int, int)}.)
     * <p>
     * Position, limit and order stay as they are, and changing them later does not change the result.
     *
     * @param buffer on the heap, direct or mapped; if it is read-only, so is the result.
     * @return a buffer over the remaining bytes.
     */
    public static MutableDirectBuffer wrap(final ByteBuffer buffer)
    {
        return wrap(buffer, buffer.position(), buffer.remaining());
    }

    /**
     * Wraps part of a buffer. Nothing outside it can be reached through the result. Position, limit and order of the
     * buffer play no role.
     *
     * @param buffer on the heap, direct or mapped; if it is read-only, so is the result.
     * @param offset in the buffer at which index 0 of the result lies, counted from the buffer's index 0.
     * @param length of the result in bytes.
     * @return a buffer of the given length.
     * @throws IndexOutOfBoundsException if the part does not lie inside the buffer's capacity.
     */
    public static MutableDirectBuffer wrap(final ByteBuffer buffer, final int offset, final int length)
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(buffer, offset, length);
        return view;
    }
}
