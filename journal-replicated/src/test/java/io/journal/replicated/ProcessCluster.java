// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.agrona.IoUtil;

/** Three members in JVMs of their own, that can be killed and stopped. */
final class ProcessCluster implements AutoCloseable
{
    private static final long END_SECONDS = 30;
    private static final int LOG_LINES = 40;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    final String addresses;
    private final Path directory;
    private final Path memory;
    private final Placement placement;
    private final MemberProcess.Settings settings;
    private final Child[] children = new Child[Placement.MEMBERS];

    ProcessCluster(final Path directory, final Placement placement, final MemberProcess.Settings settings)
    {
        this.directory = directory;
        this.placement = placement;
        this.settings = settings;
        addresses = placement.addresses();
        try
        {
            Files.createDirectories(directory);
            // The buffers are in memory, because threads would wait for a disk, up to the loss of the leader.
            memory = Files.isWritable(SHARED_MEMORY) ?
                Files.createTempDirectory(SHARED_MEMORY, "journal-cluster-") : directory.resolve("memory");
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        for (int i = 0; i < children.length; i++)
        {
            JournalMember.create(i, directory(i));
            start(i);
        }
    }

    /** The last line of a member. */
    record State(boolean isLeader, int leaderId, long lastSequence)
    {
        static State of(final JournalMember member)
        {
            return new State(member.isLeader(), member.leaderId(), member.lastSequence());
        }

        String print()
        {
            return isLeader + " " + leaderId + " " + lastSequence + " .";
        }

        /** {@return the state, or null if the line is incomplete: its process was killed} */
        private static State parse(final String line)
        {
            final String[] parts = line.split(" ");
            return !line.endsWith(" .") ? null :
                new State(Boolean.parseBoolean(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
        }
    }

    /** The directory of Aeron's buffers, also for a writer. */
    Path memory()
    {
        return memory;
    }

    Path directory(final int memberId)
    {
        return placement.directories().get(memberId);
    }

    Path journal(final int memberId)
    {
        return directory(memberId).resolve("journal");
    }

    void start(final int memberId)
    {
        final List<String> command = new ArrayList<>(placement.prefixes().get(memberId));
        command.addAll(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-ea", "-Xmx256m", "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=" + System.getProperty("journal.test.tier", "4"),
            "-cp", System.getProperty("java.class.path"), MemberProcess.class.getName(),
            Integer.toString(memberId), addresses, directory(memberId).toString(), memory.toString()));
        command.addAll(settings.arguments());
        try
        {
            final ProcessBuilder.Redirect log = ProcessBuilder.Redirect.appendTo(log(memberId).toFile());
            children[memberId] = new Child(memberId, new ProcessBuilder(command).redirectError(log).start());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** The file of a member's errors. */
    Path log(final int memberId)
    {
        return directory.resolve("member-" + memberId + ".log");
    }

    long pid(final int memberId)
    {
        return children[memberId].process.pid();
    }

    boolean isAlive(final int memberId)
    {
        return children[memberId].process.isAlive();
    }

    /** {@return the last line of the member, or null} */
    State state(final int memberId)
    {
        return children[memberId].state;
    }

    /** {@return the id of a member that reports that it leads, or {@link Members#NONE}} */
    int leader()
    {
        for (int i = 0; i < children.length; i++)
        {
            final State state = state(i);
            if (null != state && state.isLeader())
            {
                return i;
            }
        }

        return JournalMember.NO_LEADER;
    }

    void kill(final int memberId) throws InterruptedException
    {
        children[memberId].process.destroyForcibly().waitFor();
    }

    /** Ends a member as its user would. */
    void stop(final int memberId)
    {
        children[memberId].end();
    }

    void signal(final int memberId, final String signal) throws IOException, InterruptedException
    {
        new ProcessBuilder("kill", "-" + signal, Long.toString(pid(memberId))).start().waitFor();
    }

    /** {@return the state and the last errors of each member, for people} */
    String describe()
    {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < children.length; i++)
        {
            final Process process = children[i].process;
            text.append("member ").append(i).append(": pid ").append(process.pid())
                .append(process.isAlive() ? ", runs, " : ", ended with " + process.exitValue() + ", ").append(state(i))
                .append("\n");
            try
            {
                final List<String> lines = Files.exists(log(i)) ? Files.readAllLines(log(i)) : List.of();
                lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size())
                    .forEach((line) -> text.append("    ").append(line).append('\n'));
            }
            catch (final IOException ex)
            {
                text.append("    ").append(ex).append('\n');
            }
        }

        return text.toString();
    }

    @Override
    public void close()
    {
        for (final Child child : children)
        {
            child.end();
        }
        IoUtil.delete(memory.toFile(), true);
    }

    /** One run of a member. */
    private static final class Child
    {
        private final Process process;
        private volatile State state;

        private Child(final int memberId, final Process process)
        {
            this.process = process;
            final Thread thread = new Thread(this::read, "member-" + memberId);
            thread.setDaemon(true);
            thread.start();
        }

        private void read()
        {
            try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8))
            {
                for (String line = reader.readLine(); null != line; line = reader.readLine())
                {
                    state = State.parse(line);
                }
            }
            catch (final IOException ex)
            {
                // The process was killed, so its output ends.
            }
            state = null;
        }

        private void end()
        {
            boolean isEnded = false;
            try
            {
                process.getOutputStream().close();
                isEnded = process.waitFor(END_SECONDS, TimeUnit.SECONDS);
            }
            catch (final IOException ex)
            {
                // The process is killed below.
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }

            if (!isEnded)
            {
                process.destroyForcibly().onExit().join();
            }
        }
    }
}
