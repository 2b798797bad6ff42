// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

import io.journal.ByteBufferViewTest.Region;
import io.journal.internal.buffer.ByteBufferView;
import org.agrona.AsciiNumberFormatException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Calls each method of a view and of Agrona's own buffer with the same random arguments, and compares the results, the
 * exceptions and the bytes. Agrona's buffer needs a flag of the JVM, so this program is a process of its own.
 */
final class AgronaComparison
{
    private static final int ROUNDS = 40;
    private static final int AROUND = 64;
    private static final int MAX_TEXT = 12;
    private static final int[] EXTREMES =
        { -1, -4, -8, Integer.MAX_VALUE, Integer.MAX_VALUE - 3, Integer.MAX_VALUE - 8, Integer.MIN_VALUE };
    private static final String SELF = "self";
    private static final String BOUNDS = "out of bounds";

    private final Region region;
    private final Method method;
    private final long seed;
    private final byte[] content;

    private AgronaComparison(final Region region, final Method method, final long seed)
    {
        this.region = region;
        this.method = method;
        this.seed = seed;
        content = content(random(seed), region.length);
    }

    /** What a call has returned or thrown, and what it has left in its arguments and in the region. */
    private record Outcome(Object value, String thrown, String arguments, byte[] bytes)
    {
        boolean isEqual(final Outcome other)
        {
            return String.valueOf(value).equals(String.valueOf(other.value)) &&
                String.valueOf(thrown).equals(String.valueOf(other.thrown)) &&
                (null != thrown || arguments.equals(other.arguments)) &&
                (null != thrown || Arrays.equals(bytes, other.bytes));
        }

        @Override
        public String toString()
        {
            return "value=" + value + ", thrown=" + thrown + ", arguments=" + arguments + ", bytes=" +
                HexFormat.of().formatHex(bytes);
        }
    }

    public static void main(final String[] args)
    {
        final List<Method> methods = Arrays.stream(MutableDirectBuffer.class.getMethods())
            .filter((each) -> each.getParameterCount() > 0 && int.class == each.getParameterTypes()[0])
            .sorted(Comparator.comparing(Method::toString)).toList();
        ByteBufferViewTest.regions().forEach((region) ->
        {
            for (final Method method : methods)
            {
                for (long seed = 1; seed <= ROUNDS; seed++)
                {
                    new AgronaComparison(region, method, seed).compare();
                }
            }
            compareContents(region);
        });
        System.out.println("methods=" + methods.size());
    }

    /** The first numbers of generators with seeds that are close to one another are alike. */
    private static Random random(final long seed)
    {
        return new Random(seed * 0x9E37_79B9_7F4A_7C15L);
    }

    private void compare()
    {
        final Outcome expected = callAgrona((byte)0x5A);
        final boolean hasLeftTheRegion = !expected.isEqual(callAgrona((byte)0x35));
        final Outcome found = callView(region.view);
        final boolean isRefused = null != found.thrown && (hasLeftTheRegion || isNegative());
        check(isRefused || !hasLeftTheRegion && expected.isEqual(found), expected, found);
        check(null == found.thrown || Arrays.equals(content, found.bytes), expected, found);

        final Outcome read = callView(region.readOnlyView);
        if (method.getName().startsWith("put") || method.getName().startsWith("set"))
        {
            check(Arrays.equals(content, read.bytes), expected, read);
            check(Arrays.equals(content, found.bytes) || ReadOnlyBufferException.class.getName().equals(read.thrown),
                expected, read);
        }
        else if (!read.arguments.contains(SELF))
        {
            check(found.isEqual(read), found, read);
        }
    }

    /** Whether an index, a length or a natural number is negative: Agrona's buffer may do something nevertheless. */
    private boolean isNegative()
    {
        final boolean isNumber = method.getName().matches("put(Int|Long)(Ascii)?|checkLimit");
        final Object[] arguments = arguments(false, null);
        boolean isNegative = false;
        for (int i = 0; i < (isNumber ? 0 : arguments.length); i++)
        {
            final boolean isWhole = arguments[i] instanceof Integer || arguments[i] instanceof Long;
            isNegative |= isWhole && ((Number)arguments[i]).longValue() < 0;
        }
        return isNegative;
    }

    private Outcome callAgrona(final byte around)
    {
        final byte[] all = new byte[AROUND + region.length + AROUND];
        Arrays.fill(all, around);
        System.arraycopy(content, 0, all, AROUND, region.length);
        final UnsafeBuffer buffer = new UnsafeBuffer(all, AROUND, region.length);
        return call(buffer, arguments(false, buffer), () -> Arrays.copyOfRange(all, AROUND, AROUND + region.length));
    }

    private Outcome callView(final ByteBufferView view)
    {
        region.put(content);
        final Outcome outcome = call(view, arguments(true, view), region::bytes);
        region.assertNothingOutside(toString());
        return outcome;
    }

    private Outcome call(final MutableDirectBuffer buffer, final Object[] arguments, final Supplier<byte[]> bytes)
    {
        Object value = null;
        String thrown = null;
        try
        {
            value = method.invoke(buffer, arguments);
        }
        catch (final InvocationTargetException ex)
        {
            final Throwable cause = ex.getCause();
            thrown = cause instanceof IndexOutOfBoundsException ? BOUNDS : cause instanceof AsciiNumberFormatException ?
                cause.toString() : cause.getClass().getName();
        }
        catch (final IllegalAccessException ex)
        {
            throw new AssertionError(ex);
        }
        return new Outcome(value, thrown, describe(arguments, buffer), bytes.get());
    }

    /** The same arguments for both buffers, in objects of their own. */
    private Object[] arguments(final boolean isView, final MutableDirectBuffer self)
    {
        final Random random = random(-seed);
        final Class<?>[] types = method.getParameterTypes();
        final Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++)
        {
            arguments[i] = argument(types[i], random, isView, self);
        }
        return arguments;
    }

    private Object argument(
        final Class<?> type, final Random random, final boolean isView, final MutableDirectBuffer self)
    {
        final long bits = random.nextLong() >> random.nextInt(64);
        final int kind = random.nextInt(12);
        final byte[] bytes = new byte[random.nextInt(MAX_TEXT + 4)];
        random.nextBytes(bytes);
        final String text = 0 == kind ? null : text(random);
        if (int.class == type)
        {
            return kind < 4 ? Math.floorMod((int)bits, MAX_TEXT) :
                kind < 7 ? region.length - random.nextInt(2 * MAX_TEXT) :
                    kind < 9 ? random.nextInt(region.length) :
                        kind < 11 ? EXTREMES[Math.floorMod(bits, EXTREMES.length)] : (int)bits;
        }
        if (MutableDirectBuffer.class == type || DirectBuffer.class == type)
        {
            return kind < 3 ? self : isView && kind < 8 ? JournalAppender.wrap(bytes) : new UnsafeBuffer(bytes);
        }
        return ByteOrder.class == type ? kind < 6 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN :
            byte[].class == type ? bytes :
                ByteBuffer.class == type ? buffer(bytes, kind) :
                    String.class == type ? text :
                        CharSequence.class == type ? null == text ? null : CharBuffer.wrap(text) :
                            Appendable.class == type ? new StringBuilder() :
                                long.class == type ? (Object)bits :
                                    short.class == type ? (Object)(short)bits :
                                        char.class == type ? (Object)(char)bits :
                                            byte.class == type ? (Object)(byte)bits :
                                                double.class == type ? (Object)Double.longBitsToDouble(bits) :
                                                    (Object)Float.intBitsToFloat((int)bits);
    }

    private static ByteBuffer buffer(final byte[] bytes, final int kind)
    {
        final ByteBuffer buffer =
            kind < 6 ? ByteBuffer.wrap(bytes) : ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
        return buffer.position(Math.min(kind % 3, bytes.length));
    }

    /** Mostly ASCII, with some of Latin-1, Greek, surrogate pairs and lone surrogates. */
    private static String text(final Random random)
    {
        final StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(MAX_TEXT); i > 0; i--)
        {
            switch (random.nextInt(16))
            {
                case 0 -> text.append((char)(0x80 + random.nextInt(0x80)));
                case 1 -> text.append((char)(0x391 + random.nextInt(24)));
                case 2 -> text.append("\uD83D\uDE00");
                case 3 -> text.append('\uD83D');
                default -> text.append((char)random.nextInt(128));
            }
        }
        return text.toString();
    }

    /** Anything, digits with a sign here and there, or numbers that are lengths. */
    private static byte[] content(final Random random, final int length)
    {
        final byte[] content = new byte[length];
        final int kind = random.nextInt(4);
        for (int i = 0; i < length; i++)
        {
            content[i] = (byte)switch (kind)
            {
                case 0 -> random.nextInt();
                case 1 -> 0 == random.nextInt(20) ? random.nextInt(8) : 0;
                default -> "0123456789-".charAt(random.nextInt(0 == random.nextInt(5) ? 11 : 10));
            };
        }
        return content;
    }

    private static String describe(final Object[] arguments, final MutableDirectBuffer self)
    {
        final StringBuilder text = new StringBuilder();
        for (final Object argument : arguments)
        {
            text.append(null != argument && argument == self ? SELF : argument instanceof final byte[] bytes ?
                HexFormat.of().formatHex(bytes) : argument instanceof final DirectBuffer buffer ?
                    HexFormat.of().formatHex(copy(buffer)) : argument instanceof final ByteBuffer buffer ?
                        buffer.position() + "/" + buffer.limit() + ":" + buffer.duplicate().clear().hashCode() :
                        String.valueOf(argument))
                .append(' ');
        }
        return text.toString();
    }

    private static byte[] copy(final DirectBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    private void check(final boolean isSo, final Outcome expected, final Outcome found)
    {
        if (!isSo)
        {
            throw new AssertionError(this + "\n expected: " + expected + "\n found: " + found);
        }
    }

    @Override
    public String toString()
    {
        return method + ", arguments=" + describe(arguments(false, null), null) + ", seed=" + seed + ", " + region;
    }

    /** Order, equality and hash codes. */
    private static void compareContents(final Region region)
    {
        for (long seed = 1; seed <= ROUNDS; seed++)
        {
            final Random random = random(seed);
            final byte[] one = content(random, region.length);
            final byte[] other = Arrays.copyOf(one, region.length - random.nextInt(2));
            other[other.length - 1 - random.nextInt(16)] += (byte)(random.nextInt(3) - 1);
            region.put(one);
            final UnsafeBuffer agrona = new UnsafeBuffer(one);
            final MutableDirectBuffer view = JournalAppender.wrap(other);
            final List<Object> expected = List.of(
                agrona.compareTo(new UnsafeBuffer(other)), new UnsafeBuffer(other).compareTo(agrona),
                agrona.equals(new UnsafeBuffer(other)), agrona.hashCode());
            final List<Object> found = List.of(
                region.view.compareTo(view), view.compareTo(region.view), region.view.equals(view),
                region.readOnlyView.hashCode());
            if (!expected.equals(found))
            {
                throw new AssertionError(
                    "expected: " + expected + ", found: " + found + ", contents=" +
                        new String(one, StandardCharsets.ISO_8859_1) + ", seed=" + seed + ", " + region);
            }
        }
    }
}
