package io.journal.examples.bank.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.journal.examples.bank.run.JavaProcess;
import io.journal.replicated.JournalMember;
import io.journal.replicated.spi.Members;
import org.agrona.CloseHelper;
import org.agrona.IoUtil;

/**
 * Starts the members, and again those that ended, some seconds later. One thread calls {@link #restart()}; members
 * may be killed by any.
 */
final class MemberProcesses implements AutoCloseable
{
    private static final long RESTART_NS = 4_000_000_000L;
    // Outside the range from which the operating system takes ephemeral ports.
    private static final int LOWEST_PORT = 20_000;
    private static final int HIGHEST_PORT = 32_000;

    private final ClusterDirectory directory;
    private final String members = freePorts();
    private final Process[] processes = new Process[MemberStates.MEMBERS];
    private final long[] downNs = new long[MemberStates.MEMBERS];
    // The last line of each.
    private final String[] lines = new String[MemberStates.MEMBERS];
    private boolean isClosed;

    MemberProcesses(final ClusterDirectory directory) throws IOException
    {
        this.directory = directory;
        Files.createDirectories(directory.path());
        IoUtil.delete(directory.memory().toFile(), true);
        create();
        try
        {
            for (int i = 0; i < MemberStates.MEMBERS; i++)
            {
                start(i);
            }
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(this);
            throw ex;
        }
    }

    /** Only if there is no member at all: one that has lost its files would have to be seeded from another. */
    private void create()
    {
        if (IntStream.range(0, MemberStates.MEMBERS).noneMatch((i) -> Files.exists(directory.member(i))))
        {
            IntStream.range(0, MemberStates.MEMBERS).forEach((i) -> JournalMember.create(i, directory.member(i)));
        }
    }

    String members()
    {
        return members;
    }

    private static String freePorts()
    {
        while (true)
        {
            final int first = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            if (IntStream.range(first, first + MemberStates.MEMBERS * Members.PORTS).allMatch(MemberProcesses::isFree))
            {
                return IntStream.range(0, MemberStates.MEMBERS).mapToObj((i) -> first + i * Members.PORTS)
                    .map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
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

    private void start(final int memberId) throws IOException
    {
        final Process process = JavaProcess.of(
            MemberServer.class, List.of(ClusterDirectory.JAVA_OPTION, "-Xmx128m", "-XX:+UseSerialGC"),
            List.of("--dir=" + directory.path(), "--id=" + memberId, "--members=" + members))
            .redirectError(ProcessBuilder.Redirect.appendTo(directory.memberLog(memberId).toFile())).start();
        processes[memberId] = process;
        downNs[memberId] = 0;
        lines[memberId] = MemberStates.line(memberId, MemberStates.STARTING);
        final Thread thread = new Thread(() -> read(memberId, process), "bank-member-" + memberId);
        thread.setDaemon(true);
        thread.start();
    }

    private void read(final int memberId, final Process process)
    {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8))
        {
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                onLine(memberId, process, line);
            }
        }
        catch (final IOException ignore)
        {
            // Killed.
        }
    }

    private synchronized void onLine(final int memberId, final Process process, final String line)
    {
        if (processes[memberId] == process)
        {
            lines[memberId] = line;
        }
    }

    /** Starts members again that ended some time ago; returns the last line of each. */
    synchronized List<String> restart() throws IOException
    {
        final long nowNs = System.nanoTime();
        for (int i = 0; i < MemberStates.MEMBERS && !isClosed; i++)
        {
            if (processes[i].isAlive())
            {
                continue;
            }
            if (0 == downNs[i])
            {
                downNs[i] = nowNs;
                lines[i] = MemberStates.line(i, MemberStates.DOWN);
            }
            else if (nowNs - downNs[i] >= RESTART_NS)
            {
                start(i);
            }
        }
        return List.of(lines);
    }

    /** On Linux with SIGKILL, which no process can catch. */
    synchronized void kill(final int memberId)
    {
        if (memberId >= 0 && memberId < processes.length)
        {
            processes[memberId].destroyForcibly();
        }
    }

    @Override
    public void close()
    {
        synchronized (this)
        {
            isClosed = true;
        }
        JavaProcess.end(Stream.of(processes).filter(Objects::nonNull).toArray(Process[]::new));
        IoUtil.delete(directory.memory().toFile(), true);
    }
}
