package io.journal.replicated.aeron;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import io.journal.JournalException;
import io.journal.replicated.spi.Members;

/** Addresses in Aeron's notation. A member's ports in their order: ingress, consensus, log, catchup, archive. */
final class Channels
{
    private static final int ARCHIVE_PORT = 4;

    private Channels()
    {
    }

    /** All endpoints of all members, for the consensus modules. */
    static String members(final Members members)
    {
        final StringBuilder text = new StringBuilder();
        for (int id = 0; id < members.count(); id++)
        {
            text.append(id);
            for (int port = 0; port < Members.PORTS; port++)
            {
                text.append(',').append(members.host(id)).append(':').append(members.port(id, port));
            }
            text.append('|');
        }

        return text.toString();
    }

    /** Where clients find members. */
    static String ingressEndpoints(final Members members)
    {
        final StringBuilder text = new StringBuilder();
        for (int id = 0; id < members.count(); id++)
        {
            text.append(0 == id ? "" : ",").append(id).append('=').append(members.addresses().get(id));
        }

        return text.toString();
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

    /**
     * The address of this machine that members can reply to: the one from which the first of them is reached.
     */
    static String localHost(final Members members)
    {
        try (DatagramSocket socket = new DatagramSocket())
        {
            socket.connect(new InetSocketAddress(InetAddress.getByName(members.host(0)), members.port(0, 0)));
            final String address = socket.getLocalAddress().getHostAddress();
            return address.indexOf(':') < 0 ? address : '[' + address + ']';
        }
        catch (final IOException | UncheckedIOException ex)
        {
            throw new JournalException("no way to the host of a member: address=" + members.addresses().get(0), ex);
        }
    }
}
