// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.buffer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;

import org.agrona.AsciiNumberFormatException;
import org.agrona.DirectBuffer;
import org.agrona.LangUtil;
import org.agrona.MutableDirectBuffer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.agrona.AsciiEncoding.INT_MAX_DIGITS;
import static org.agrona.AsciiEncoding.INT_POW_10;
import static org.agrona.AsciiEncoding.LONG_MAX_DIGITS;
import static org.agrona.AsciiEncoding.MINUS_SIGN;
import static org.agrona.AsciiEncoding.MIN_LONG_VALUE;
import static org.agrona.AsciiEncoding.ZERO;
import static org.agrona.AsciiEncoding.digitCount;
import static org.agrona.AsciiEncoding.isDigit;
import static org.agrona.BitUtil.SIZE_OF_BYTE;
import static org.agrona.BitUtil.SIZE_OF_INT;
import static org.agrona.BitUtil.SIZE_OF_LONG;
import static org.agrona.BitUtil.SIZE_OF_SHORT;

/**
 * A region of a {@link ByteBuffer} as an Agrona buffer, without the JVM flag that Agrona's own buffers need.
 * <p>
 * Results are those of Agrona's {@code UnsafeBuffer}, with these differences:
 * <ul>
 *     <li>Every access is bounds-checked against the region, because other records surround it. An access that fails
 *     the check writes nothing.</li>
 *     <li>If the {@link ByteBuffer} is read-only, each put throws {@link ReadOnlyBufferException}.</li>
 *     <li>The memory is only lent: {@link #byteArray()} and {@link #byteBuffer()} return null, so that a handler cannot
 *     write into the journal. A view that a handler wraps around this one must not outlive the call: once a segment is
 *     unmapped, reading through that view may crash the JVM.</li>
 *     <li>A negative natural number throws {@link IllegalArgumentException}.</li>
 * </ul>
 * Wrapping the same object again, at any offset, only sets fields; wrapping another object costs one small allocation.
 * Wrapping a length of 0 revokes access to the region through this view; wrapping an empty array also releases the
 * memory. Views wrapped around this one are unaffected. Primitive and bulk methods do not allocate. Wrapping is for one
 * thread at a time; reading is thread-safe.
 * <p>
 * A buffer of another class is never equal, though it may compare as 0.
 */
public final class ByteBufferView implements MutableDirectBuffer
{
    private static final ByteOrder NATIVE_ORDER = ByteOrder.nativeOrder();
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    // The wrapped object, for identity checks only; never read or written.
    private Object source = EMPTY;
    // A private duplicate: the owner of the source may change its limit or order at any time.
    private ByteBuffer buffer = EMPTY;
    private boolean isReadOnly;
    private int offset;
    private int capacity;

    // ---- wrapping

    @Override
    public void wrap(final byte[] array)
    {
        wrap(array, 0, array.length);
    }

    @Override
    public void wrap(final byte[] array, final int offset, final int length)
    {
        checkRange(offset, length, array.length);
        if (array != source)
        {
            attach(array, ByteBuffer.wrap(array));
        }

        this.offset = offset;
        capacity = length;
    }

    @Override
    public void wrap(final ByteBuffer buffer)
    {
        wrap(buffer, 0, buffer.capacity());
    }

    @Override
    public void wrap(final ByteBuffer buffer, final int offset, final int length)
    {
        checkRange(offset, length, buffer.capacity());
        if (buffer != source)
        {
            attach(buffer, buffer.duplicate().clear());
        }

        this.offset = offset;
        capacity = length;
    }

    @Override
    public void wrap(final DirectBuffer buffer)
    {
        wrap(buffer, 0, buffer.capacity());
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the buffer has neither an array nor a {@link ByteBuffer}, only an address.
     */
    @Override
    public void wrap(final DirectBuffer buffer, final int offset, final int length)
    {
        checkRange(offset, length, buffer.capacity());
        if (buffer instanceof ByteBufferView)
        {
            final ByteBufferView view = (ByteBufferView)buffer;
            attach(view.source, view.buffer);
            this.offset = view.offset + offset;
            capacity = length;
        }
        else
        {
            wrapForeign(buffer, buffer.wrapAdjustment() + offset, length);
        }
    }

    /**
     * Not supported: it needs the JVM flag that this class avoids.
     *
     * @throws UnsupportedOperationException always.
     */
    @Override
    public void wrap(final long address, final int length)
    {
        throw new UnsupportedOperationException("cannot wrap an address: wrap a ByteBuffer over that memory");
    }

    /** Whether this view is still wrapped around an object, beginning at an offset. */
    public boolean isWrappedAround(final Object memory, final int offset)
    {
        return source == memory && this.offset == offset;
    }

    private void wrapForeign(final DirectBuffer buffer, final int adjustedOffset, final int length)
    {
        final byte[] array = buffer.byteArray();
        final ByteBuffer byteBuffer = buffer.byteBuffer();
        if (null == array && null == byteBuffer)
        {
            throw new IllegalArgumentException("cannot wrap a buffer without byte array or ByteBuffer: " + buffer);
        }

        // If there is an array, the adjustment refers to it, even if a ByteBuffer wraps it.
        if (null == array)
        {
            wrap(byteBuffer, adjustedOffset, length);
        }
        else if (null != byteBuffer && byteBuffer.isReadOnly())
        {
            wrap(ByteBuffer.wrap(array).asReadOnlyBuffer(), adjustedOffset, length);
        }
        else
        {
            wrap(array, adjustedOffset, length);
        }
    }

    private void attach(final Object source, final ByteBuffer buffer)
    {
        this.source = source;
        this.buffer = buffer.order(NATIVE_ORDER);
        isReadOnly = buffer.isReadOnly();
    }

    // ---- what is wrapped

    /**
     * Not supported: the true address needs the JVM flag that this class avoids, and a false one would make
     * {@code UnsafeBuffer} read and write foreign memory.
     *
     * @throws UnsupportedOperationException always.
     */
    @Override
    public long addressOffset()
    {
        throw new UnsupportedOperationException(
            "the address of this buffer is not known, so an UnsafeBuffer cannot wrap it or copy from it: " +
                "use its getBytes with the other buffer as destination");
    }

    /**
     * {@inheritDoc}
     *
     * @return always null: the array may hold more than this region, see the description of the class.
     */
    @Override
    public byte[] byteArray()
    {
        return null;
    }

    /**
     * {@inheritDoc}
     *
     * @return always null: the buffer holds more than this region, see the description of the class. For bytes in a
     * {@link ByteBuffer} use {@link #getBytes(int, ByteBuffer, int)}.
     */
    @Override
    public ByteBuffer byteBuffer()
    {
        return null;
    }

    @Override
    public int capacity()
    {
        return capacity;
    }

    @Override
    public void checkLimit(final int limit)
    {
        if (limit > capacity)
        {
            throw new IndexOutOfBoundsException("limit beyond capacity: limit=" + limit + ", capacity=" + capacity);
        }
    }

    // ---- reading numbers

    @Override
    public long getLong(final int index, final ByteOrder byteOrder)
    {
        return ordered(getLong(index), byteOrder);
    }

    @Override
    public long getLong(final int index)
    {
        return buffer.getLong(readable(index, SIZE_OF_LONG));
    }

    @Override
    public int getInt(final int index, final ByteOrder byteOrder)
    {
        return ordered(getInt(index), byteOrder);
    }

    @Override
    public int getInt(final int index)
    {
        return buffer.getInt(readable(index, SIZE_OF_INT));
    }

    @Override
    public int parseNaturalIntAscii(final int index, final int length)
    {
        return (int)parseAscii(index, length, false, Integer.MAX_VALUE, INT_MAX_DIGITS, "int");
    }

    @Override
    public long parseNaturalLongAscii(final int index, final int length)
    {
        return parseAscii(index, length, false, Long.MAX_VALUE, LONG_MAX_DIGITS, "long");
    }

    @Override
    public int parseIntAscii(final int index, final int length)
    {
        return (int)parseAscii(index, length, true, Integer.MAX_VALUE, INT_MAX_DIGITS, "int");
    }

    @Override
    public long parseLongAscii(final int index, final int length)
    {
        return parseAscii(index, length, true, Long.MAX_VALUE, LONG_MAX_DIGITS, "long");
    }

    @Override
    public double getDouble(final int index, final ByteOrder byteOrder)
    {
        return Double.longBitsToDouble(getLong(index, byteOrder));
    }

    @Override
    public double getDouble(final int index)
    {
        return Double.longBitsToDouble(getLong(index));
    }

    @Override
    public float getFloat(final int index, final ByteOrder byteOrder)
    {
        return Float.intBitsToFloat(getInt(index, byteOrder));
    }

    @Override
    public float getFloat(final int index)
    {
        return Float.intBitsToFloat(getInt(index));
    }

    @Override
    public short getShort(final int index, final ByteOrder byteOrder)
    {
        return ordered(getShort(index), byteOrder);
    }

    @Override
    public short getShort(final int index)
    {
        return buffer.getShort(readable(index, SIZE_OF_SHORT));
    }

    @Override
    public char getChar(final int index, final ByteOrder byteOrder)
    {
        return (char)getShort(index, byteOrder);
    }

    @Override
    public char getChar(final int index)
    {
        return (char)getShort(index);
    }

    @Override
    public byte getByte(final int index)
    {
        return buffer.get(readable(index, SIZE_OF_BYTE));
    }

    // ---- reading bytes

    @Override
    public void getBytes(final int index, final byte[] dst)
    {
        getBytes(index, dst, 0, dst.length);
    }

    @Override
    public void getBytes(final int index, final byte[] dst, final int offset, final int length)
    {
        buffer.get(readable(index, length), dst, offset, length);
    }

    /**
     * {@inheritDoc}
     * <p>
     * The destination may be any buffer, including an {@code UnsafeBuffer}.
     */
    @Override
    public void getBytes(final int index, final MutableDirectBuffer dstBuffer, final int dstIndex, final int length)
    {
        // Not as a DirectBuffer: an UnsafeBuffer would request the address.
        dstBuffer.putBytes(dstIndex, buffer, readable(index, length), length);
    }

    @Override
    public void getBytes(final int index, final ByteBuffer dstBuffer, final int length)
    {
        final int dstOffset = dstBuffer.position();
        getBytes(index, dstBuffer, dstOffset, length);
        dstBuffer.position(dstOffset + length);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IndexOutOfBoundsException also if the destination's limit would be exceeded.
     */
    @Override
    public void getBytes(final int index, final ByteBuffer dstBuffer, final int dstOffset, final int length)
    {
        dstBuffer.put(dstOffset, buffer, readable(index, length), length);
    }

    // ---- reading strings

    @Override
    public String getStringAscii(final int index)
    {
        return getStringAscii(index, getInt(index));
    }

    @Override
    public int getStringAscii(final int index, final Appendable appendable)
    {
        return getStringAscii(index, getInt(index), appendable);
    }

    @Override
    public String getStringAscii(final int index, final ByteOrder byteOrder)
    {
        return getStringAscii(index, getInt(index, byteOrder));
    }

    @Override
    public int getStringAscii(final int index, final Appendable appendable, final ByteOrder byteOrder)
    {
        return getStringAscii(index, getInt(index, byteOrder), appendable);
    }

    @Override
    public String getStringAscii(final int index, final int length)
    {
        boundsCheck(index, STR_HEADER_LEN);
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, length);
    }

    @Override
    public int getStringAscii(final int index, final int length, final Appendable appendable)
    {
        boundsCheck(index, STR_HEADER_LEN);
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, length, appendable);
    }

    @Override
    public String getStringWithoutLengthAscii(final int index, final int length)
    {
        return new String(copyOf(index, length), US_ASCII);
    }

    /**
     * {@inheritDoc}
     * <p>
     * A byte that is not ASCII becomes a question mark (in a {@link String}, U+FFFD).
     */
    @Override
    public int getStringWithoutLengthAscii(final int index, final int length, final Appendable appendable)
    {
        final int start = readable(index, length);
        try
        {
            for (int i = 0; i < length; i++)
            {
                final byte value = buffer.get(start + i);
                appendable.append(value < 0 ? '?' : (char)value);
            }
        }
        catch (final IOException ex)
        {
            LangUtil.rethrowUnchecked(ex);
        }

        return length;
    }

    @Override
    public String getStringUtf8(final int index)
    {
        return getStringUtf8(index, getInt(index));
    }

    @Override
    public String getStringUtf8(final int index, final ByteOrder byteOrder)
    {
        return getStringUtf8(index, getInt(index, byteOrder));
    }

    @Override
    public String getStringUtf8(final int index, final int length)
    {
        boundsCheck(index, STR_HEADER_LEN);
        return getStringWithoutLengthUtf8(index + STR_HEADER_LEN, length);
    }

    @Override
    public String getStringWithoutLengthUtf8(final int index, final int length)
    {
        return new String(copyOf(index, length), UTF_8);
    }

    // ---- bounds

    @Override
    public void boundsCheck(final int index, final int length)
    {
        checkRange(index, length, capacity);
    }

    /**
     * {@inheritDoc}
     *
     * @return the offset of index 0 in the wrapped array or {@link ByteBuffer}.
     */
    @Override
    public int wrapAdjustment()
    {
        return offset;
    }

    @Override
    public boolean isExpandable()
    {
        return false;
    }

    // ---- writing numbers

    @Override
    public void setMemory(final int index, final int length, final byte value)
    {
        final int start = writable(index, length);
        final int end = start + length;
        final long eightTimes = (value & 0xFFL) * 0x0101010101010101L;

        int i = start;
        for (; i <= end - SIZE_OF_LONG; i += SIZE_OF_LONG)
        {
            buffer.putLong(i, eightTimes);
        }
        for (; i < end; i++)
        {
            buffer.put(i, value);
        }
    }

    @Override
    public void putLong(final int index, final long value, final ByteOrder byteOrder)
    {
        putLong(index, ordered(value, byteOrder));
    }

    @Override
    public void putLong(final int index, final long value)
    {
        buffer.putLong(writable(index, SIZE_OF_LONG), value);
    }

    @Override
    public void putInt(final int index, final int value, final ByteOrder byteOrder)
    {
        putInt(index, ordered(value, byteOrder));
    }

    @Override
    public void putInt(final int index, final int value)
    {
        buffer.putInt(writable(index, SIZE_OF_INT), value);
    }

    @Override
    public int putIntAscii(final int index, final int value)
    {
        return putLongAscii(index, value);
    }

    @Override
    public int putNaturalIntAscii(final int index, final int value)
    {
        return putNaturalLongAscii(index, value);
    }

    /**
     * {@inheritDoc}
     *
     * @throws NumberFormatException if the value does not fit within the length; nothing was written.
     */
    @Override
    public void putNaturalPaddedIntAscii(final int index, final int length, final int value)
    {
        checkNatural(value);
        final int start = writable(index, length);
        if (length < INT_POW_10.length && value >= INT_POW_10[length])
        {
            throw new NumberFormatException("value does not fit: value=" + value + ", length=" + length);
        }

        putDigits(start, value, length);
    }

    /**
     * {@inheritDoc}
     * <p>
     * For zero, writes nothing and returns the end, as Agrona's buffers do.
     */
    @Override
    public int putNaturalIntAsciiFromEnd(final int value, final int endExclusive)
    {
        checkNatural(value);
        final int length = digitCount(value);
        final int start = writable(endExclusive - length, length);
        if (0 == value)
        {
            return endExclusive;
        }

        putDigits(start, value, length);
        return endExclusive - length;
    }

    @Override
    public int putNaturalLongAscii(final int index, final long value)
    {
        checkNatural(value);
        final int length = digitCount(value);
        putDigits(writable(index, length), value, length);
        return length;
    }

    @Override
    public int putLongAscii(final int index, final long value)
    {
        if (value >= 0)
        {
            return putNaturalLongAscii(index, value);
        }

        if (Long.MIN_VALUE == value)
        {
            putBytes(index, MIN_LONG_VALUE);
            return MIN_LONG_VALUE.length;
        }

        final int digits = digitCount(-value);
        final int start = writable(index, 1 + digits);
        buffer.put(start, MINUS_SIGN);
        putDigits(start + 1, -value, digits);
        return 1 + digits;
    }

    @Override
    public void putDouble(final int index, final double value, final ByteOrder byteOrder)
    {
        putLong(index, Double.doubleToRawLongBits(value), byteOrder);
    }

    @Override
    public void putDouble(final int index, final double value)
    {
        putLong(index, Double.doubleToRawLongBits(value));
    }

    @Override
    public void putFloat(final int index, final float value, final ByteOrder byteOrder)
    {
        putInt(index, Float.floatToRawIntBits(value), byteOrder);
    }

    @Override
    public void putFloat(final int index, final float value)
    {
        putInt(index, Float.floatToRawIntBits(value));
    }

    @Override
    public void putShort(final int index, final short value, final ByteOrder byteOrder)
    {
        putShort(index, ordered(value, byteOrder));
    }

    @Override
    public void putShort(final int index, final short value)
    {
        buffer.putShort(writable(index, SIZE_OF_SHORT), value);
    }

    @Override
    public void putChar(final int index, final char value, final ByteOrder byteOrder)
    {
        putShort(index, (short)value, byteOrder);
    }

    @Override
    public void putChar(final int index, final char value)
    {
        putShort(index, (short)value);
    }

    @Override
    public void putByte(final int index, final byte value)
    {
        buffer.put(writable(index, SIZE_OF_BYTE), value);
    }

    // ---- writing bytes

    @Override
    public void putBytes(final int index, final byte[] src)
    {
        putBytes(index, src, 0, src.length);
    }

    @Override
    public void putBytes(final int index, final byte[] src, final int offset, final int length)
    {
        buffer.put(writable(index, length), src, offset, length);
    }

    @Override
    public void putBytes(final int index, final ByteBuffer srcBuffer, final int length)
    {
        final int srcIndex = srcBuffer.position();
        putBytes(index, srcBuffer, srcIndex, length);
        srcBuffer.position(srcIndex + length);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IndexOutOfBoundsException also if the source's limit would be exceeded.
     */
    @Override
    public void putBytes(final int index, final ByteBuffer srcBuffer, final int srcIndex, final int length)
    {
        buffer.put(writable(index, length), srcBuffer, srcIndex, length);
    }

    /**
     * {@inheritDoc}
     * <p>
     * The source may be any buffer, including an {@code UnsafeBuffer}.
     */
    @Override
    public void putBytes(final int index, final DirectBuffer srcBuffer, final int srcIndex, final int length)
    {
        // The source knows how to access its memory. It may not check whether ours is read-only, so writable does.
        srcBuffer.getBytes(srcIndex, buffer, writable(index, length), length);
    }

    // ---- writing strings

    @Override
    public int putStringAscii(final int index, final String value)
    {
        return putStringAscii(index, (CharSequence)value, NATIVE_ORDER);
    }

    @Override
    public int putStringAscii(final int index, final CharSequence value)
    {
        return putStringAscii(index, value, NATIVE_ORDER);
    }

    @Override
    public int putStringAscii(final int index, final String value, final ByteOrder byteOrder)
    {
        return putStringAscii(index, (CharSequence)value, byteOrder);
    }

    @Override
    public int putStringAscii(final int index, final CharSequence value, final ByteOrder byteOrder)
    {
        final int length = null == value ? 0 : value.length();
        final int start = writable(index, STR_HEADER_LEN + length);
        buffer.putInt(start, ordered(length, byteOrder));
        putAscii(start + STR_HEADER_LEN, value, 0, length);
        return STR_HEADER_LEN + length;
    }

    @Override
    public int putStringWithoutLengthAscii(final int index, final String value)
    {
        return putStringWithoutLengthAscii(index, (CharSequence)value);
    }

    @Override
    public int putStringWithoutLengthAscii(final int index, final CharSequence value)
    {
        return putStringWithoutLengthAscii(index, value, 0, Integer.MAX_VALUE);
    }

    @Override
    public int putStringWithoutLengthAscii(final int index, final String value, final int valueOffset, final int length)
    {
        return putStringWithoutLengthAscii(index, (CharSequence)value, valueOffset, length);
    }

    @Override
    public int putStringWithoutLengthAscii(
        final int index, final CharSequence value, final int valueOffset, final int length)
    {
        if (null == value)
        {
            return 0;
        }

        final int encodedLength = Math.min(value.length() - valueOffset, length);
        putAscii(writable(index, encodedLength), value, valueOffset, encodedLength);
        return encodedLength;
    }

    @Override
    public int putStringUtf8(final int index, final String value)
    {
        return putStringUtf8(index, value, NATIVE_ORDER, Integer.MAX_VALUE);
    }

    @Override
    public int putStringUtf8(final int index, final String value, final ByteOrder byteOrder)
    {
        return putStringUtf8(index, value, byteOrder, Integer.MAX_VALUE);
    }

    @Override
    public int putStringUtf8(final int index, final String value, final int maxEncodedLength)
    {
        return putStringUtf8(index, value, NATIVE_ORDER, maxEncodedLength);
    }

    @Override
    public int putStringUtf8(final int index, final String value, final ByteOrder byteOrder, final int maxEncodedLength)
    {
        final byte[] bytes = utf8(value);
        if (bytes.length > maxEncodedLength)
        {
            throw new IllegalArgumentException(
                "encoded string too long: length=" + bytes.length + ", maxEncodedLength=" + maxEncodedLength);
        }

        final int start = writable(index, STR_HEADER_LEN + bytes.length);
        buffer.putInt(start, ordered(bytes.length, byteOrder));
        buffer.put(start + STR_HEADER_LEN, bytes);
        return STR_HEADER_LEN + bytes.length;
    }

    @Override
    public int putStringWithoutLengthUtf8(final int index, final String value)
    {
        final byte[] bytes = utf8(value);
        putBytes(index, bytes);
        return bytes.length;
    }

    // ---- comparing

    /**
     * {@inheritDoc}
     * <p>
     * The order is Agrona's: by longs in native byte order, then by the remaining bytes, then by capacity.
     */
    @Override
    public int compareTo(final DirectBuffer that)
    {
        final int length = Math.min(capacity, that.capacity());
        int i = 0;
        for (; i <= length - SIZE_OF_LONG; i += SIZE_OF_LONG)
        {
            final int result = Long.compare(getLong(i), that.getLong(i));
            if (0 != result)
            {
                return result;
            }
        }
        for (; i < length; i++)
        {
            final int result = Byte.compare(getByte(i), that.getByte(i));
            if (0 != result)
            {
                return result;
            }
        }

        return Integer.compare(capacity, that.capacity());
    }

    @Override
    public boolean equals(final Object obj)
    {
        return obj instanceof ByteBufferView && 0 == compareTo((ByteBufferView)obj);
    }

    @Override
    public int hashCode()
    {
        int hashCode = 19;
        int i = 0;
        for (; i <= capacity - SIZE_OF_LONG; i += SIZE_OF_LONG)
        {
            hashCode = 31 * hashCode + Long.hashCode(getLong(i));
        }
        for (; i < capacity; i++)
        {
            hashCode = 31 * hashCode + getByte(i);
        }

        return hashCode;
    }

    @Override
    public String toString()
    {
        return "ByteBufferView{" +
            "offset=" + offset +
            ", capacity=" + capacity +
            ", isDirect=" + buffer.isDirect() +
            ", isReadOnly=" + isReadOnly +
            '}';
    }

    // ---- helpers

    /** Offset in the buffer of a range, checked to lie inside the region. */
    private int readable(final int index, final int length)
    {
        checkRange(index, length, capacity);
        return offset + index;
    }

    private int writable(final int index, final int length)
    {
        if (isReadOnly)
        {
            throw new ReadOnlyBufferException();
        }

        return readable(index, length);
    }

    private static void checkRange(final int index, final int length, final int capacity)
    {
        // A subtraction, because index + length may overflow.
        if ((index | length) < 0 || length > capacity - index)
        {
            throw new IndexOutOfBoundsException(
                "out of bounds: index=" + index + ", length=" + length + ", capacity=" + capacity);
        }
    }

    private static void checkNatural(final long value)
    {
        if (value < 0)
        {
            throw new IllegalArgumentException("not a natural number: value=" + value);
        }
    }

    private static long ordered(final long value, final ByteOrder byteOrder)
    {
        return NATIVE_ORDER == byteOrder ? value : Long.reverseBytes(value);
    }

    private static int ordered(final int value, final ByteOrder byteOrder)
    {
        return NATIVE_ORDER == byteOrder ? value : Integer.reverseBytes(value);
    }

    private static short ordered(final short value, final ByteOrder byteOrder)
    {
        return NATIVE_ORDER == byteOrder ? value : Short.reverseBytes(value);
    }

    /**
     * Parses at most 19 digits: their value cannot exceed an unsigned long, so one comparison at the end detects an
     * overflow of the type. As in Agrona, more digits are an overflow, even with leading zeros.
     */
    private long parseAscii(
        final int index,
        final int length,
        final boolean isSigned,
        final long maxValue,
        final int maxDigits,
        final String type)
    {
        final int start = readable(index, length);
        if (0 == length)
        {
            throw new AsciiNumberFormatException("empty string: index=" + index + " length=" + length);
        }

        final boolean isNegative = isSigned && MINUS_SIGN == buffer.get(start);
        final int firstDigit = isNegative ? start + 1 : start;
        final int end = start + length;
        if (end - firstDigit > maxDigits)
        {
            throw malformed(type + " overflow parsing: ", index, length);
        }

        long value = 0;
        int i = firstDigit;
        for (byte digit; i < end && isDigit(digit = buffer.get(i)); i++)
        {
            value = value * 10 + (digit - ZERO);
        }

        if (i < end || firstDigit == end)
        {
            throw malformed("error parsing " + type + ": ", index, length);
        }
        if (Long.compareUnsigned(value, isNegative ? maxValue + 1 : maxValue) > 0)
        {
            throw malformed(type + " overflow parsing: ", index, length);
        }

        return isNegative ? -value : value;
    }

    private AsciiNumberFormatException malformed(final String message, final int index, final int length)
    {
        return new AsciiNumberFormatException(message + getStringWithoutLengthAscii(index, length));
    }

    private void putDigits(final int start, final long value, final int length)
    {
        long rest = value;
        for (int i = start + length - 1; i >= start; i--)
        {
            buffer.put(i, (byte)(ZERO + rest % 10));
            rest /= 10;
        }
    }

    private void putAscii(final int start, final CharSequence value, final int valueOffset, final int length)
    {
        for (int i = 0; i < length; i++)
        {
            final char c = value.charAt(valueOffset + i);
            buffer.put(start + i, (byte)(c > 127 ? '?' : c));
        }
    }

    private byte[] copyOf(final int index, final int length)
    {
        final int start = readable(index, length);
        final byte[] bytes = new byte[length];
        buffer.get(start, bytes);
        return bytes;
    }

    /** Null becomes the string "null", as in Agrona. */
    private static byte[] utf8(final String value)
    {
        return String.valueOf(value).getBytes(UTF_8);
    }
}
