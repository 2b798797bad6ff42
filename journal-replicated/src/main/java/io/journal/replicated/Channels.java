// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.journal.JournalException;

/** Addresses in Aeron's notation. A member's ports in their order: ingress, consensus, log, catchup, archive. */
final class Channels
{
    private static final int ARCHIVE_PORT = 4;

    private Channels()
    {
    }

    /** {@return all endpoints of all members, for the consensus modules} */
    static String members(final Members members)
    {
        return IntStream.range(0, members.count()).mapToObj((id) -> id + IntStream.range(0, JournalMember.PORTS)
            .mapToObj((port) -> "," + members.host(id) + ':' + members.port(id, port)).collect(Collectors.joining()))
            .collect(Collectors.joining("|"));
    }

    /** {@return where clients find members} */
    static String ingressEndpoints(final Members members)
    {
        return IntStream.range(0, members.count()).mapToObj((id) -> id + "=" + members.addresses().get(id))
            .collect(Collectors.joining(","));
    }

    static String archive(final Members members, final int memberId)
    {
        return "aeron:udp?endpoint=" + members.host(memberId) + ':' + members.port(memberId, ARCHIVE_PORT);
    }

    static String udp(final int termLength)
    {
        return "aeron:udp?term-length=" + termLength;
    }

    static String anyPort(final String host)
    {
        return "aeron:udp?endpoint=" + host + ":0";
    }

    /** Checks that the ports of a member are free, because Aeron's own error would not name the remedy. */
    static void checkPorts(final Members members, final int memberId)
    {
        final String host = members.host(memberId);
        for (int i = 0; i < JournalMember.PORTS; i++)
        {
            final int port = members.port(memberId, i);
            try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(InetAddress.getByName(host), port)))
            {
                socket.getLocalPort();
            }
            catch (final IOException ex)
            {
                throw new JournalException(
                    "cannot use a UDP port of the member: memberId=" + memberId + ", address=" + host + ':' + port +
                        "; it is in use, or the address is not known, or not one of this machine: choose another in " +
                        "the members, the same for all of them; cause=" + ex,
                    ex);
            }
        }
    }

    /**
     * {@return an address of this machine that members can reply to} It can reach a member. A loopback address is
     * returned only if there is no other, because other machines cannot reach it.
     *
     * @param attempt selects among several addresses, so that all are tried in the end.
     */
    static String localHost(final Members members, final int attempt)
    {
        final Set<InetAddress> found = new LinkedHashSet<>();
        IOException failure = null;
        for (int id = 0; id < members.count(); id++)
        {
            try (DatagramSocket socket = new DatagramSocket())
            {
                // This sends nothing: the operating system only selects the route.
                socket.connect(new InetSocketAddress(InetAddress.getByName(members.host(id)), members.port(id, 0)));
                found.add(socket.getLocalAddress());
            }
            catch (final IOException | UncheckedIOException ex)
            {
                failure = new IOException("address=" + members.addresses().get(id) + ", cause=" + ex, ex);
            }
        }
        if (found.isEmpty())
        {
            throw new JournalException("no way to the host of any member: " + members, failure);
        }

        final List<InetAddress> remote = found.stream().filter((address) -> !address.isLoopbackAddress()).toList();
        final List<InetAddress> candidates = remote.isEmpty() ? List.copyOf(found) : remote;
        final String address = candidates.get(attempt % candidates.size()).getHostAddress();
        return address.indexOf(':') < 0 ? address : '[' + address + ']';
    }
}
