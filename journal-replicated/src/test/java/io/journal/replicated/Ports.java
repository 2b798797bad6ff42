// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Free UDP ports for members on loopback. They lie outside the range of ephemeral ports, and no other test uses them at
 * the same time: a test has a block of ports as long as it holds the TCP port with the number of the first port.
 */
final class Ports
{
    private static final int LOWEST = 20_000;
    private static final int BLOCK = 3 * JournalMember.PORTS;
    private static final int BLOCKS = 800;
    // Held until this process ends, because a member may be restarted at any time.
    private static final List<ServerSocket> HELD = new ArrayList<>();

    private Ports()
    {
    }

    /** {@return addresses for so many members, at most three} */
    static synchronized String members(final int count)
    {
        while (true)
        {
            final int first = LOWEST + BLOCK * ThreadLocalRandom.current().nextInt(BLOCKS);
            if (hold(first) && IntStream.range(first, first + BLOCK).allMatch(Ports::isFree))
            {
                return IntStream.range(0, count).mapToObj((i) -> "127.0.0.1:" + (first + i * JournalMember.PORTS))
                    .collect(Collectors.joining(","));
            }
        }
    }

    private static boolean hold(final int port)
    {
        try
        {
            HELD.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
            return true;
        }
        catch (final IOException ex)
        {
            return false;
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
