package io.journal.examples.bank.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.journal.examples.bank.run.Launch;
import io.journal.examples.bank.run.Options;
import io.journal.examples.bank.run.Supervisor;
import org.agrona.CloseHelper;

/**
 * Starts three members of a cluster and the bank on it, and kills the leader when the page asks for it. Thread-safe.
 */
public final class ClusterSupervisor implements AutoCloseable
{
    private static final long TICK_MS = 200;
    // The follower reads at a member as well, and waits while that one is down.
    private static final int FOLLOWED_MEMBER = MemberStates.MEMBERS - 1;

    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor((task) ->
    {
        final Thread thread = new Thread(task, "bank-members");
        thread.setDaemon(true);
        return thread;
    });
    private final MemberProcesses members;
    private final Supervisor bank;

    private ClusterSupervisor(final Path path, final int port, final List<String> serverOptions) throws IOException
    {
        final ClusterDirectory directory = new ClusterDirectory(path);
        members = new MemberProcesses(directory);
        try
        {
            final List<String> options = new ArrayList<>(serverOptions);
            options.add("--members=" + members.members());
            bank = Supervisor.start(path, port, new Launch(
                ClusterServer.class, List.of(ClusterDirectory.JAVA_OPTION), options, directory.journal(FOLLOWED_MEMBER),
                this::onLine));
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(members);
            throw ex;
        }
    }

    /**
     * Entry point: runs the bank until it is interrupted.
     *
     * @param args as of {@link Supervisor}; the bank's files are in {@code cluster} below {@code --dir}.
     * @throws IOException          if a process cannot be started.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Options options = new Options(args, List.of("dir", "port", "snapshot-every", "prune"));
        System.out.println("Starting three members and the bank on 127.0.0.1.");
        final ClusterSupervisor supervisor = start(
            Path.of(options.text("dir", "target/bank"), "cluster"), options.number("port", 0),
            Supervisor.policy(options));
        Runtime.getRuntime().addShutdownHook(new Thread(supervisor::close));
        supervisor.bank.awaitEnd();
        System.exit(1);
    }

    /**
     * Starts a bank on a cluster.
     *
     * @param directory     of the bank's files.
     * @param port          to listen on; 0 for any, which then stays the same.
     * @param serverOptions further options of {@link ClusterServer}.
     * @return the supervisor; the bank is not ready yet.
     * @throws IOException if a process cannot be started.
     */
    public static ClusterSupervisor start(final Path directory, final int port, final List<String> serverOptions)
        throws IOException
    {
        final ClusterSupervisor supervisor = new ClusterSupervisor(directory, port, serverOptions);
        supervisor.ticker.scheduleWithFixedDelay(supervisor::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
        return supervisor;
    }

    /** {@return the supervisor of the bank's process} */
    public Supervisor bank()
    {
        return bank;
    }

    private void tick()
    {
        try
        {
            members.restart().forEach(bank::send);
        }
        catch (final IOException ex)
        {
            System.err.println("A member cannot be started: " + ex);
        }
    }

    private void onLine(final String line)
    {
        if (line.startsWith(ClusterServer.KILL_MEMBER))
        {
            members.kill(Integer.parseInt(line.substring(ClusterServer.KILL_MEMBER.length())));
        }
        else
        {
            System.out.println(line);
        }
    }

    /** Ends all processes: the bank first, so that its last commands are committed. */
    @Override
    public void close()
    {
        ticker.shutdownNow();
        bank.close();
        members.close();
    }
}
