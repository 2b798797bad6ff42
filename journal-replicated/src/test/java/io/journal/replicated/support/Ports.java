package io.journal.replicated.support;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.journal.replicated.spi.Members;

/**
 * Free UDP ports for members on loopback: outside the range from which the operating system takes ephemeral ones.
 */
public final class Ports
{
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;

    private Ports()
    {
    }

    /** {@return addresses for so many members} */
    public static String members(final int count)
    {
        while (true)
        {
            final int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (IntStream.range(first, first + count * Members.PORTS).allMatch(Ports::isFree))
            {
                return IntStream.range(0, count).mapToObj((i) -> "127.0.0.1:" + (first + i * Members.PORTS))
                    .collect(Collectors.joining(","));
            }
        }
    }

    private static boolean isFree(final int port)
    {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
        {
            return socket.isBound();
        }
        catch (final IOException ex)
        {
            return false;
        }
    }
}
