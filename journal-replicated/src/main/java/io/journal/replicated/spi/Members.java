package io.journal.replicated.spi;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Addresses of the members of a cluster: {@code host:port} of each, in the order of their ids, which begin with 0.
 *
 * @param addresses of the members.
 */
public record Members(List<String> addresses)
{
    /** In place of a member id: none. */
    public static final int NONE = -1;

    /** A member's ports: the one of its address, and those directly behind it. */
    public static final int PORTS = 5;

    private static final int MAX_PORT = 65_535;

    /**
     * Checks the addresses.
     *
     * @param addresses of the members.
     * @throws IllegalArgumentException if one is not {@code host:port}, or two members of one host share ports.
     */
    public Members
    {
        addresses = List.copyOf(addresses);
        if (addresses.isEmpty())
        {
            throw new IllegalArgumentException("no members: give host:port of each, separated by commas");
        }

        final Set<String> taken = new HashSet<>();
        for (final String address : addresses)
        {
            final int colon = address.lastIndexOf(':');
            final int port = colon < 1 ? NONE : parsePort(address.substring(colon + 1));
            if (port < 1 || port > MAX_PORT - PORTS + 1)
            {
                throw new IllegalArgumentException(
                    "not an address of a member: address=" + address + ", expected host:port with a port from 1 to " +
                        (MAX_PORT - PORTS + 1));
            }

            for (int i = 0; i < PORTS; i++)
            {
                if (!taken.add(address.substring(0, colon + 1) + (port + i)))
                {
                    throw new IllegalArgumentException(
                        "two members share a port: address=" + address + ", each needs " + PORTS +
                            " ports, the one of its address and those behind it: members=" + addresses);
                }
            }
        }
    }

    /**
     * {@return the members that a text names}
     *
     * @param text addresses separated by commas, such as {@code a:9000,b:9000,c:9000}.
     * @throws IllegalArgumentException as with the constructor.
     */
    public static Members parse(final String text)
    {
        return new Members(List.of(text.trim().split("\\s*,\\s*")));
    }

    /** {@return the number of members} */
    public int count()
    {
        return addresses.size();
    }

    /**
     * {@return the host of a member}
     *
     * @param memberId from 0.
     */
    public String host(final int memberId)
    {
        final String address = addresses.get(memberId);
        return address.substring(0, address.lastIndexOf(':'));
    }

    /**
     * {@return one of a member's ports}
     *
     * @param memberId from 0.
     * @param index    from 0 to less than {@link #PORTS}.
     */
    public int port(final int memberId, final int index)
    {
        final String address = addresses.get(memberId);
        return index + Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    private static int parsePort(final String text)
    {
        try
        {
            return Integer.parseInt(text);
        }
        catch (final NumberFormatException ex)
        {
            return NONE;
        }
    }

    @Override
    public String toString()
    {
        return String.join(",", addresses);
    }
}
