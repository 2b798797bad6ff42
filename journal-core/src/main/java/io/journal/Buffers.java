package io.journal;

import java.nio.ByteBuffer;

import io.journal.internal.buffer.ByteBufferView;
import org.agrona.MutableDirectBuffer;

/**
 * Wraps a caller's memory in a {@link MutableDirectBuffer} that needs no JVM flag.
 * <p>
 * Agrona's own buffers fail without {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}; these do not. The same
 * calls produce the same bytes, so SBE codecs encode into them unchanged. The differences:
 * <ul>
 *     <li>every access is checked against the wrapped region, whatever {@code agrona.disable.bounds.checks} says;</li>
 *     <li>over a read-only {@link ByteBuffer} each put throws {@link java.nio.ReadOnlyBufferException};</li>
 *     <li>the limit of a {@link ByteBuffer} that is copied from or into is respected;</li>
 *     <li>the memory itself is not exposed: {@code byteArray()} and {@code byteBuffer()} return null and
 *     {@code addressOffset()} throws {@link UnsupportedOperationException}. So Agrona's {@code UnsafeBuffer} can
 *     neither wrap such a buffer nor take it as the {@code DirectBuffer} to copy from: call {@code getBytes} of this
 *     one with the other as destination. After a failed wrap an {@code UnsafeBuffer} must be wrapped again before use:
 *     it has already taken the capacity, but not the memory.</li>
 * </ul>
 * Many threads may read a buffer; only one at a time may put into it or wrap something else.
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
     * @param offset in the array at which index 0 of the result is.
     * @param length of the result in bytes.
     * @return a buffer of the given length.
     * @throws IndexOutOfBoundsException if the part is not inside the array.
     */
    public static MutableDirectBuffer wrap(final byte[] array, final int offset, final int length)
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(array, offset, length);
        return view;
    }

    /**
     * Wraps the remaining bytes of a buffer: index 0 of the result is the buffer's current position, and its capacity
     * is what is left to the limit. (Agrona's {@code wrap(ByteBuffer)} takes the whole buffer; for that, pass 0 and the
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
     * buffer have no effect.
     *
     * @param buffer on the heap, direct or mapped; if it is read-only, so is the result.
     * @param offset in the buffer at which index 0 of the result is, counted from the buffer's index 0.
     * @param length of the result in bytes.
     * @return a buffer of the given length.
     * @throws IndexOutOfBoundsException if the part is not inside the buffer's capacity.
     */
    public static MutableDirectBuffer wrap(final ByteBuffer buffer, final int offset, final int length)
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(buffer, offset, length);
        return view;
    }
}
