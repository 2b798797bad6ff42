// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import io.journal.examples.bank.cluster.ClusterFiles;
import io.journal.examples.bank.run.ManagedProcess.Output;
import org.agrona.CloseHelper;

/**
 * Starts the bank's server and the follower, kills processes at the page's request, and restarts processes that have
 * ended. Thread-safe.
 */
public final class Supervisor implements AutoCloseable
{
    private static final int MAX_FAILURES = 5;
    private static final long FOLLOWER_PAUSE_MS = 2_000;

    private final String[] arguments;
    private final Path directory;
    private final FileChannel lockFile;
    private final ClusterMembers members;
    private final ManagedProcess follower;
    private final ManagedProcess server;

    // Guarded by this.
    private int port;
    private int starts;
    private int failures;
    private boolean isReady;
    private boolean isEnded;

    /** Starts a bank, without waiting until it is ready; for the arguments see {@link Options}. */
    public Supervisor(final String... arguments)
    {
        this.arguments = arguments.clone();
        final Options options = Options.parse(arguments);
        directory = Options.directory(options);
        port = options.port();
        lockFile = lock(directory);
        ClusterMembers startedMembers = null;
        ManagedProcess startedFollower = null;
        try
        {
            startedMembers =
                options.isCluster() ? new ClusterMembers(new ClusterFiles(directory), arguments) : null;
            startedFollower = new ManagedProcess(
                FollowerProcess.class, List.of(), () -> List.of(this.arguments), Output.CONSOLE, FOLLOWER_PAUSE_MS,
                (code) -> true);
            members = startedMembers;
            follower = startedFollower;
            server = new ManagedProcess(
                BankServer.class, options.isCluster() ? List.of(ClusterFiles.JAVA_OPTION) : List.of(),
                this::serverOptions, new Output(this::onLine, ProcessBuilder.Redirect.INHERIT), 0,
                this::isStartedAgain);
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietCloseAll(startedFollower, startedMembers, lockFile);
            throw ex;
        }
    }

    /** Entry point; for the arguments see {@link Options}. */
    public static void main(final String[] args) throws InterruptedException
    {
        try
        {
            final Supervisor supervisor = new Supervisor(args);
            Runtime.getRuntime().addShutdownHook(new Thread(supervisor::close, "bank-end"));
            final int openPort = supervisor.awaitReady(0);
            if (openPort > 0)
            {
                System.out.println("The bank is open:  http://127.0.0.1:" + openPort + "/");
                System.out.println(
                    "Its files are in " + supervisor.directory.toAbsolutePath() +
                        " and grow under load. Ctrl-C ends it.");
            }
            supervisor.awaitReady(Integer.MAX_VALUE);
        }
        catch (final CannotStartException ex)
        {
            System.err.println(ex.getMessage());
        }
        System.exit(ChildProcess.CANNOT_START);
    }

    /**
     * Waits until the server has started more often than the given number; {@return the port, or 0 if it does not
     * start}
     */
    public synchronized int awaitReady(final int known) throws InterruptedException
    {
        while (!isEnded && !(isReady && starts > known))
        {
            wait();
        }
        return isEnded ? 0 : port;
    }

    /** {@return how often the server was started} */
    public synchronized int starts()
    {
        return starts;
    }

    /** Kills a process: {@code server}, {@code follower}, or the number of a member. It is started again. */
    public void kill(final String process)
    {
        switch (process)
        {
            case "server" -> server.kill();
            case "follower" -> follower.kill();
            default -> members.kill(Integer.parseInt(process));
        }
    }

    /** Ends all processes. The bank is first, because it needs the members to make its last commands durable. */
    @Override
    public void close()
    {
        synchronized (this)
        {
            isEnded = true;
            notifyAll();
        }
        CloseHelper.closeAll(server, follower, members, lockFile);
    }

    private synchronized List<String> serverOptions()
    {
        starts++;
        // Keep the port of the first start, so that the page can reconnect.
        return Options.with(arguments, "--port=" + port, "--members=" + (null == members ? "" : members.addresses()));
    }

    private void onLine(final String line)
    {
        if (line.startsWith(BankServer.READY))
        {
            synchronized (this)
            {
                port = Integer.parseInt(line.substring(BankServer.READY.length()));
                failures = 0;
                isReady = true;
                notifyAll();
            }
        }
        else if (line.startsWith(BankServer.KILL))
        {
            kill(line.substring(BankServer.KILL.length()));
        }
        else
        {
            System.out.println(line);
        }
    }

    private synchronized boolean isStartedAgain(final int code)
    {
        isReady = false;
        failures++;
        if (ChildProcess.CANNOT_START == code && 1 == starts || failures > MAX_FAILURES)
        {
            isEnded = true;
            notifyAll();
        }
        return !isEnded;
    }

    /**
     * Locks the directory as long as this process runs, because two banks in one directory would delete each other's
     * files.
     */
    private static FileChannel lock(final Path directory)
    {
        FileChannel channel = null;
        try
        {
            Files.createDirectories(directory);
            channel = FileChannel.open(
                directory.resolve("bank.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (null != channel.tryLock())
            {
                return channel;
            }
        }
        catch (final OverlappingFileLockException ex)
        {
            // Another supervisor in this process holds the lock.
        }
        catch (final IOException ex)
        {
            CloseHelper.quietClose(channel);
            throw new CannotStartException("The directory cannot be used: " + ex);
        }
        CloseHelper.quietClose(channel);
        throw new CannotStartException(
            "A bank is open already in " + directory + ". End it, or give this one another directory and port: " +
                "-Dbank.dir=target/other -Dbank.port=7071");
    }
}
