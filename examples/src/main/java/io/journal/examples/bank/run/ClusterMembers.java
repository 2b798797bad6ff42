// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.journal.examples.bank.cluster.ClusterFiles;
import io.journal.examples.bank.run.ManagedProcess.Output;
import io.journal.replicated.JournalMember;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;

/**
 * The processes of the members of a cluster. Thread-safe.
 */
final class ClusterMembers implements AutoCloseable
{
    // Wait before a restart, so that the page shows the cluster without the member for a while.
    private static final long PAUSE_MS = 4_000;
    // These ports are below the range from which Linux takes ephemeral ports.
    private static final int LOWEST_PORT = 20_000;
    private static final int HIGHEST_PORT = 32_000;

    private final String addresses = freeAddresses();
    private final List<ManagedProcess> processes = new ArrayList<>();
    private final ClusterFiles files;

    ClusterMembers(final ClusterFiles files, final String... arguments)
    {
        this.files = files;
        IoUtil.delete(files.memory().toFile(), true);
        // Create members only if no member exists: a member that has lost its files must be seeded from another one.
        if (IntStream.range(0, ClusterFiles.MEMBERS).noneMatch((i) -> Files.exists(files.member(i))))
        {
            IntStream.range(0, ClusterFiles.MEMBERS).forEach((i) -> JournalMember.create(i, files.member(i)));
        }
        try
        {
            for (int i = 0; i < ClusterFiles.MEMBERS; i++)
            {
                final List<String> all = Options.with(arguments, "--members=" + addresses, "--member=" + i);
                final Output output =
                    new Output(System.out::println, ProcessBuilder.Redirect.appendTo(files.log(i).toFile()));
                processes.add(new ManagedProcess(
                    MemberProcess.class, List.of(ClusterFiles.JAVA_OPTION, "-Xmx128m", "-XX:+UseSerialGC"), () -> all,
                    output, PAUSE_MS, (code) -> true));
            }
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(this);
            throw ex;
        }
    }

    /** Addresses of all members. */
    String addresses()
    {
        return addresses;
    }

    void kill(final int memberId)
    {
        if (memberId >= 0 && memberId < processes.size())
        {
            processes.get(memberId).kill();
        }
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(processes);
        IoUtil.delete(files.memory().toFile(), true);
    }

    private static String freeAddresses()
    {
        while (true)
        {
            final int first = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            if (IntStream.range(first, first + ClusterFiles.MEMBERS * JournalMember.PORTS)
                .allMatch(ClusterMembers::isFree))
            {
                return IntStream.range(0, ClusterFiles.MEMBERS).map((i) -> first + i * JournalMember.PORTS)
                    .mapToObj((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
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
