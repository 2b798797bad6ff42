// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Addresses of the members of a cluster: {@code host:port} of each, in the order of their ids, from 0. */
record Members(List<String> addresses)
{
    private static final int MAX_PORT = 65_535;

    Members
    {
        final Set<String> taken = new HashSet<>();
        for (final String address : addresses)
        {
            final int colon = address.lastIndexOf(':');
            final int port = colon < 1 ? 0 : parsePort(address.substring(colon + 1));
            if (port < 1 || port > MAX_PORT - JournalMember.PORTS + 1)
            {
                throw new IllegalArgumentException(
                    "not an address of a member: address=" + address + ", expected host:port with a port from 1 to " +
                        (MAX_PORT - JournalMember.PORTS + 1));
            }

            for (int i = 0; i < JournalMember.PORTS; i++)
            {
                if (!taken.add(address.substring(0, colon + 1) + (port + i)))
                {
                    throw new IllegalArgumentException(
                        "two members share a port: address=" + address + ", each needs " + JournalMember.PORTS +
                            " ports, from that of its address on: members=" + addresses);
                }
            }
        }
    }

    /** {@return the members of a text such as {@code a:9000,b:9000,c:9000}} */
    static Members parse(final String text)
    {
        return new Members(List.of(text.trim().split("\\s*,\\s*")));
    }

    int count()
    {
        return addresses.size();
    }

    String host(final int memberId)
    {
        final String address = addresses.get(memberId);
        return address.substring(0, address.lastIndexOf(':'));
    }

    /** {@return a port of a member; its index is less than {@link JournalMember#PORTS}} */
    int port(final int memberId, final int index)
    {
        final String address = addresses.get(memberId);
        return index + parsePort(address.substring(address.lastIndexOf(':') + 1));
    }

    private static int parsePort(final String text)
    {
        try
        {
            return Integer.parseInt(text);
        }
        catch (final NumberFormatException ex)
        {
            return 0;
        }
    }

    @Override
    public String toString()
    {
        return String.join(",", addresses);
    }
}
