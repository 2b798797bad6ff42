package io.journal.examples.bank.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Starts the bank's server and the follower, kills the server when the page asks for it, and starts it again however it
 * ended. Thread-safe.
 */
public final class Supervisor implements AutoCloseable
{
    private static final int MAX_FAILURES = 5;

    private final Path directory;
    private final List<String> serverOptions;
    private final Thread thread = new Thread(this::superviseServer, "bank-supervisor");
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Process follower;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private Process server;
    private int port;
    private int starts;
    private boolean isReady;
    private boolean isClosed;

    private Supervisor(final Path directory, final int port, final List<String> serverOptions) throws IOException
    {
        this.directory = directory;
        this.port = port;
        this.serverOptions = serverOptions;
        Files.createDirectories(directory);
        follower = startProcess(FollowerProcess.class, List.of("--dir=" + directory));
        // It has nothing to say; what it says nevertheless must not fill the pipe.
        follower.getInputStream().close();
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
        final Supervisor supervisor = start(
            directory, options.number("port", 0), List.of(
                "--snapshot-every=" + options.text("snapshot-every", "0"),
                "--prune=" + options.text("prune", "false")));
        Runtime.getRuntime().addShutdownHook(new Thread(supervisor::close));
        final int port = supervisor.awaitReady(0);
        if (port > 0)
        {
            System.out.println("The bank is open:  http://127.0.0.1:" + port + "/");
            System.out.println("Its files are in " + directory.toAbsolutePath() + "; Ctrl-C ends it.");
        }
        supervisor.ended.await();
        System.exit(1);
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
        final Supervisor supervisor = new Supervisor(directory, port, serverOptions);
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
                // By its handle, which leaves the pipe open: what the server has said last is still to be read.
                server.toHandle().destroyForcibly();
            }
        }
        finally
        {
            lock.unlock();
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
        end(last);
        end(follower);
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
            final List<String> options = new ArrayList<>(serverOptions);
            options.add("--dir=" + directory);
            options.add("--port=" + port);
            server = startProcess(BankServer.class, options);
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
                    System.out.println(line);
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

    private static Process startProcess(final Class<?> main, final List<String> options) throws IOException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(options);
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static void end(final Process process)
    {
        if (null == process)
        {
            return;
        }
        try
        {
            process.getOutputStream().close();
            if (!process.waitFor(10, TimeUnit.SECONDS))
            {
                process.destroyForcibly();
            }
        }
        catch (final IOException | InterruptedException ex)
        {
            process.destroyForcibly();
        }
    }
}
