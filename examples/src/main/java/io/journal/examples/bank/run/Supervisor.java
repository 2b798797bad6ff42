package io.journal.examples.bank.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.journal.examples.bank.BankDirectory;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Starts the bank's server and the follower, kills the server when the page asks for it, and starts both again however
 * they ended. Thread-safe.
 */
public final class Supervisor implements AutoCloseable
{
    private static final int MAX_FAILURES = 5;
    private static final int FOLLOWER_RESTART_S = 2;

    private final Path directory;
    private final Launch launch;
    private final Thread thread = new Thread(this::superviseServer, "bank-supervisor");
    private final CountDownLatch ended = new CountDownLatch(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private Process server;
    private Process follower;
    private int port;
    private int starts;
    private boolean isReady;
    private boolean isClosed;

    private Supervisor(final Path directory, final int port, final Launch launch) throws IOException
    {
        this.directory = directory;
        this.port = port;
        this.launch = launch;
        Files.createDirectories(directory);
        startFollower();
    }

    /**
     * Entry point: runs the bank until it is interrupted.
     *
     * @param args {@code --dir} of the bank's files, {@code --port}; the others are passed to {@link BankServer}.
     * @throws IOException          if a process cannot be started.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Options options = new Options(args, List.of("dir", "port", "snapshot-every", "prune"));
        final Path directory = Path.of(options.text("dir", "target/bank"));
        final Supervisor supervisor = start(directory, options.number("port", 0), policy(options));
        Runtime.getRuntime().addShutdownHook(new Thread(supervisor::close));
        supervisor.awaitEnd();
        System.exit(1);
    }

    /**
     * {@return the options of snapshots, for the server}
     *
     * @param options that may have them.
     */
    public static List<String> policy(final Options options)
    {
        return List.of(
            "--snapshot-every=" + options.text("snapshot-every", "0"), "--prune=" + options.text("prune", "false"));
    }

    /**
     * Prints where the bank is, and waits until it cannot be kept running.
     *
     * @throws InterruptedException if the thread is interrupted.
     */
    public void awaitEnd() throws InterruptedException
    {
        final int openPort = awaitReady(0);
        if (openPort > 0)
        {
            System.out.println("The bank is open:  http://127.0.0.1:" + openPort + "/");
            System.out.println("Its files are in " + directory.toAbsolutePath() + "; Ctrl-C ends it.");
        }
        ended.await();
    }

    /**
     * Starts a bank.
     *
     * @param directory     of the bank's files.
     * @param port          to listen on; 0 for any, which then stays the same.
     * @param serverOptions further options of {@link BankServer}.
     * @return the supervisor; the bank is not ready yet.
     * @throws IOException if a process cannot be started.
     */
    public static Supervisor start(final Path directory, final int port, final List<String> serverOptions)
        throws IOException
    {
        return start(directory, port, Launch.local(new BankDirectory(directory), serverOptions));
    }

    /**
     * Starts a bank of another kind.
     *
     * @param directory of the bank's files.
     * @param port      to listen on; 0 for any, which then stays the same.
     * @param launch    what to start.
     * @return the supervisor; the bank is not ready yet.
     * @throws IOException if a process cannot be started.
     */
    public static Supervisor start(final Path directory, final int port, final Launch launch) throws IOException
    {
        final Supervisor supervisor = new Supervisor(directory, port, launch);
        supervisor.thread.setDaemon(true);
        supervisor.thread.start();
        return supervisor;
    }

    /**
     * Waits until the bank serves.
     *
     * @param starts number of starts that are known already; 0 at first.
     * @return the port; 0 if the bank does not start.
     * @throws InterruptedException if the thread is interrupted.
     */
    public int awaitReady(final int starts) throws InterruptedException
    {
        lock.lockInterruptibly();
        try
        {
            while (!isClosed && !(isReady && this.starts > starts))
            {
                changed.await();
            }
            return isClosed ? 0 : port;
        }
        finally
        {
            lock.unlock();
        }
    }

    /** {@return how often the server was started} */
    public int starts()
    {
        lock.lock();
        try
        {
            return starts;
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Kills the server: on Linux with SIGKILL, which no process can catch. It is started again. */
    public void kill()
    {
        lock.lock();
        try
        {
            isReady = false;
            if (null != server)
            {
                // By its handle, which leaves the pipe open: the last lines of the server are still to be read.
                server.toHandle().destroyForcibly();
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Sends a line to the server, if it is running.
     *
     * @param line without its end.
     */
    public void send(final String line)
    {
        final Process listening;
        lock.lock();
        try
        {
            listening = isReady ? server : null;
        }
        finally
        {
            lock.unlock();
        }
        if (null != listening)
        {
            try
            {
                listening.getOutputStream().write((line + "\n").getBytes(UTF_8));
                listening.getOutputStream().flush();
            }
            catch (final IOException ignore)
            {
                // It was killed.
            }
        }
    }

    /** Ends both processes. The server closes the bank: it sees that its parent is gone. */
    @Override
    public void close()
    {
        final Process last;
        lock.lock();
        try
        {
            isClosed = true;
            last = server;
            changed.signalAll();
        }
        finally
        {
            lock.unlock();
        }
        if (null != last)
        {
            JavaProcess.end(last);
        }
        JavaProcess.end(follower());
    }

    /** The process of the follower that was started last. */
    Process follower()
    {
        lock.lock();
        try
        {
            return follower;
        }
        finally
        {
            lock.unlock();
        }
    }

    private void startFollower() throws IOException
    {
        lock.lock();
        try
        {
            if (!isClosed)
            {
                follower = JavaProcess.of(
                    FollowerProcess.class, List.of(),
                    List.of("--dir=" + directory, "--journal=" + launch.followed())).start();
                // It sends no lines; whatever it prints must not fill the pipe.
                follower.getInputStream().close();
                follower.onExit().thenRunAsync(
                    this::startFollowerAgain,
                    CompletableFuture.delayedExecutor(FOLLOWER_RESTART_S, TimeUnit.SECONDS));
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    /** It ends if it cannot write, as on a full disk. Until it continues, nothing is pruned that it has not seen. */
    private void startFollowerAgain()
    {
        try
        {
            startFollower();
        }
        catch (final IOException ex)
        {
            System.err.println("The follower cannot be started: " + ex);
        }
    }

    private void superviseServer()
    {
        int failures = 0;
        try
        {
            while (failures < MAX_FAILURES)
            {
                final Process process = startServer();
                if (null == process)
                {
                    return;
                }
                failures = readLines(process) ? 0 : failures + 1;
                process.waitFor();
            }
            System.err.println("The bank does not start: attempts=" + MAX_FAILURES);
        }
        catch (final IOException | InterruptedException ex)
        {
            System.err.println("The bank cannot be started: " + ex);
        }
        finally
        {
            close();
            ended.countDown();
        }
    }

    private Process startServer() throws IOException
    {
        lock.lock();
        try
        {
            if (isClosed)
            {
                return null;
            }
            isReady = false;
            final List<String> options = new ArrayList<>(launch.options());
            options.add("--dir=" + directory);
            options.add("--port=" + port);
            server = JavaProcess.of(launch.server(), launch.javaOptions(), options).start();
            starts++;
            return server;
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Until the server ends; returns whether it was ready. */
    private boolean readLines(final Process process) throws IOException
    {
        boolean wasReady = false;
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)))
        {
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                if (line.startsWith(BankServer.READY))
                {
                    wasReady = true;
                    ready(Integer.parseInt(line.substring(BankServer.READY.length())));
                }
                else if (BankServer.KILL.equals(line))
                {
                    kill();
                }
                else
                {
                    launch.lines().accept(line);
                }
            }
        }
        return wasReady;
    }

    private void ready(final int port)
    {
        lock.lock();
        try
        {
            this.port = port;
            isReady = true;
            changed.signalAll();
        }
        finally
        {
            lock.unlock();
        }
    }
}
