package io.journal.replicated.support;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Role;

/**
 * Three members in JVMs of their own, on loopback, that can be killed and stopped.
 */
public final class ProcessCluster implements AutoCloseable
{
    private static final int MEMBERS = 3;
    private static final long END_SECONDS = 30;

    public final String addresses = Ports.members(MEMBERS);
    private final Path directory;
    private final boolean isForced;
    private final Duration heartbeatTimeout;
    private final Process[] processes = new Process[MEMBERS];
    private final AtomicReferenceArray<State> states = new AtomicReferenceArray<>(MEMBERS);

    public ProcessCluster(final Path directory, final boolean isForced, final Duration heartbeatTimeout)
    {
        this.directory = directory;
        this.isForced = isForced;
        this.heartbeatTimeout = heartbeatTimeout;
        for (int i = 0; i < MEMBERS; i++)
        {
            start(i);
        }
    }

    /** What a member has printed last. */
    public record State(Role role, int leaderId, long lastSequence, long commitPosition)
    {
        private static State parse(final String line)
        {
            final String[] parts = line.split(" ");
            return new State(
                Role.valueOf(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]), Long.parseLong(parts[3]));
        }
    }

    public Path directory(final int memberId)
    {
        return directory.resolve("member-" + memberId);
    }

    public Path journal(final int memberId)
    {
        return directory(memberId).resolve("journal");
    }

    public void start(final int memberId)
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-ea", "-Xmx256m", "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=" + System.getProperty("journal.test.tier", "4"),
            "-cp", System.getProperty("java.class.path"), MemberProcess.class.getName()));
        command.addAll(List.of(
            Integer.toString(memberId), addresses, directory(memberId).toString(), Boolean.toString(isForced),
            Long.toString(heartbeatTimeout.toMillis())));
        try
        {
            Files.createDirectories(directory);
            final File log = log(memberId).toFile();
            final Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log)).start();
            processes[memberId] = process;
            states.set(memberId, null);
            final Thread thread = new Thread(() -> read(memberId, process), "member-" + memberId);
            thread.setDaemon(true);
            thread.start();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void read(final int memberId, final Process process)
    {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8))
        {
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                states.set(memberId, State.parse(line));
            }
        }
        catch (final IOException ex)
        {
            // Killed.
        }
        if (processes[memberId] == process)
        {
            states.set(memberId, null);
        }
    }

    public Path log(final int memberId)
    {
        return directory.resolve("member-" + memberId + ".log");
    }

    public long pid(final int memberId)
    {
        return processes[memberId].pid();
    }

    public boolean isAlive(final int memberId)
    {
        return processes[memberId].isAlive();
    }

    /** {@return what the member has printed last, or null} */
    public State state(final int memberId)
    {
        return states.get(memberId);
    }

    /** {@return the id of a member that says it leads, or {@link Members#NONE}} */
    public int leader()
    {
        for (int i = 0; i < MEMBERS; i++)
        {
            final State state = states.get(i);
            if (null != state && Role.LEADER == state.role())
            {
                return i;
            }
        }

        return Members.NONE;
    }

    public void kill(final int memberId) throws InterruptedException
    {
        processes[memberId].destroyForcibly().waitFor();
    }

    public void signal(final int memberId, final String signal) throws IOException, InterruptedException
    {
        new ProcessBuilder("kill", "-" + signal, Long.toString(pid(memberId))).start().waitFor();
    }

    @Override
    public void close()
    {
        for (final Process process : processes)
        {
            end(process);
        }
    }

    private static void end(final Process process)
    {
        boolean isEnded = false;
        try
        {
            process.getOutputStream().close();
            isEnded = process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
        catch (final IOException ex)
        {
            // It is killed below.
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }

        if (!isEnded)
        {
            process.destroyForcibly();
        }
    }
}
