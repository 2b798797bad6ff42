// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Assumptions;

/**
 * A network namespace for each member, and one between them and this process that routes and drops what the test wants.
 * The addresses are those reserved for benchmarks, 198.18.0.0/15. Needs root on Linux; the test is skipped elsewhere.
 */
final class Namespaces implements AutoCloseable
{
    /** In place of a member: this process. */
    static final int WRITER = Placement.MEMBERS;

    private static final int PORT = 9000;

    private final String name = "journal" + ProcessHandle.current().pid();
    // The third byte of all addresses: clusters of several tests at once differ.
    private final int net = (int)(ProcessHandle.current().pid() % 256);
    private final List<int[]> drops = new ArrayList<>();

    private Namespaces()
    {
    }

    static Namespaces create()
    {
        Assumptions.assumeTrue(Command.isRootOnLinux(), "needs root on Linux, to create network namespaces");
        final Namespaces namespaces = new Namespaces();
        try
        {
            namespaces.build();
        }
        catch (final IOException ex)
        {
            namespaces.close();
            Assumptions.abort("cannot create network namespaces here: " + ex.getMessage());
        }
        return namespaces;
    }

    private void build() throws IOException
    {
        Command.run("ip", "netns", "add", name);
        Command.run("ip", "netns", "exec", name, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1");
        for (int i = 0; i <= WRITER; i++)
        {
            final String port = "port" + i;
            // This process stays in its namespace, and gets one more interface, named like the namespaces.
            final List<String> ip = new ArrayList<>(List.of("ip"));
            if (WRITER != i)
            {
                Command.run("ip", "netns", "add", member(i));
                ip.addAll(List.of("-n", member(i)));
                run(ip, "link", "set", "lo", "up");
            }
            Command.run("ip", "-n", name, "link", "add", port, "type", "veth", "peer", "name", name);
            Command.run(
                "ip", "-n", name, "link", "set", name, "netns",
                WRITER == i ? Long.toString(ProcessHandle.current().pid()) : member(i));
            Command.run("ip", "-n", name, "addr", "add", host(i, 1) + "/30", "dev", port);
            Command.run("ip", "-n", name, "link", "set", port, "up");
            run(ip, "addr", "add", host(i, 2) + "/30", "dev", name);
            run(ip, "link", "set", name, "up");
            run(ip, "route", "add", "198.18." + net + ".0/24", "via", host(i, 1));
        }
    }

    private static void run(final List<String> ip, final String... arguments) throws IOException
    {
        final List<String> command = new ArrayList<>(ip);
        command.addAll(List.of(arguments));
        Command.run(command);
    }

    private String member(final int memberId)
    {
        return name + "-" + memberId;
    }

    /** Each party has a network of four addresses. The router has the first address, the party the second. */
    private String host(final int party, final int index)
    {
        return "198.18." + net + "." + (4 * party + index);
    }

    Placement placement(final Path directory)
    {
        return Placement.of(
            IntStream.range(0, Placement.MEMBERS).mapToObj((i) -> host(i, 2) + ":" + PORT)
                .collect(Collectors.joining(",")),
            directory,
            IntStream.range(0, Placement.MEMBERS).mapToObj((i) -> List.of("ip", "netns", "exec", member(i))).toList());
    }

    /** Drops all packets from one party to another, from now on. */
    void drop(final int from, final int to) throws IOException
    {
        drops.add(new int[]{ from, to });
        rule("add", from, to);
    }

    void heal() throws IOException
    {
        for (final int[] drop : drops)
        {
            rule("del", drop[0], drop[1]);
        }
        drops.clear();
    }

    private void rule(final String action, final int from, final int to) throws IOException
    {
        Command.run("ip", "-n", name, "rule", action, "from", host(from, 2), "to", host(to, 2), "blackhole");
    }

    @Override
    public void close()
    {
        for (int i = Placement.MEMBERS; i >= 0; i--)
        {
            // The last namespace has no number; all interfaces are deleted with it.
            delete(i > 0 ? member(i - 1) : name);
        }
    }

    private static void delete(final String namespace)
    {
        try
        {
            Command.run("ip", "netns", "del", namespace);
        }
        catch (final IOException ex)
        {
            System.out.println("cannot delete a network namespace: " + ex.getMessage());
        }
    }
}
