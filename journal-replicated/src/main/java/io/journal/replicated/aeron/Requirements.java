package io.journal.replicated.aeron;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

import io.journal.JournalException;
import io.journal.replicated.spi.Members;

/** What has to be in place before Aeron is started: its own errors do not say what to do. */
final class Requirements
{
    private static final String PACKAGE = "jdk.internal.misc";

    private Requirements()
    {
    }

    static void checkFlag()
    {
        // Asked of the module system: the class of the buffers would fail for good.
        final Module base = Object.class.getModule();
        if (!base.isOpen(PACKAGE, Requirements.class.getClassLoader().getUnnamedModule()) &&
            !base.isOpen(PACKAGE, org.agrona.DirectBuffer.class.getModule()))
        {
            throw new JournalException(
                "Aeron needs a flag of the JVM: start it with --add-opens java.base/" + PACKAGE + "=ALL-UNNAMED");
        }
    }

    static void checkPorts(final Members members, final int memberId)
    {
        final String host = members.host(memberId);
        final InetAddress address;
        try
        {
            address = InetAddress.getByName(host);
        }
        catch (final UnknownHostException ex)
        {
            throw new JournalException("host of the member is not known: memberId=" + memberId + ", host=" + host, ex);
        }

        for (int i = 0; i < Members.PORTS; i++)
        {
            final int port = members.port(memberId, i);
            try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(address, port)))
            {
                socket.getLocalPort();
            }
            catch (final IOException ex)
            {
                throw new JournalException(
                    "cannot use a UDP port of the member: memberId=" + memberId + ", address=" + host + ':' + port +
                        "; it is in use, or the address is not one of this machine: choose another in the members, " +
                        "the same for all of them; cause=" + ex.getMessage(),
                    ex);
            }
        }
    }
}
