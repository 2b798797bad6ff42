package io.journal.examples.bank.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpServer;
import io.journal.examples.bank.BankApplication;

/**
 * The JDK's HTTP server, in front of a bank, on the loopback interface.
 * <p>
 * A request keeps no thread while its command waits for the device: the handler submits the command and returns, and
 * the answer is sent when the command is durable. So a few threads serve thousands of commands at a time. What is
 * bounded: threads, requests that wait for one, bodies, commands on their way, watchers and what they have not read
 * yet.
 */
public final class BankWebServer implements AutoCloseable
{
    private static final int BACKLOG = 4_096;
    private static final int THREADS = 24;
    private static final int RESPONDERS = 2;
    private static final int MAX_WAITING = 8_192;

    static
    {
        // Read by the server's class when it is first used. A client that takes longer to send its request is cut off;
        // without a limit, a few of them could keep all threads. Small answers are sent at once.
        setDefault("sun.net.httpserver.maxReqTime", "10");
        setDefault("sun.net.httpserver.maxIdleConnections", "4096");
        setDefault("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final ThreadPoolExecutor requests;
    private final ExecutorService responders;
    private final LiveStream stream;

    private BankWebServer(
        final HttpServer server, final BankApplication bank, final Runnable kill, final Runnable killLeader)
    {
        this.server = server;
        requests = new ThreadPoolExecutor(
            THREADS, THREADS, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(MAX_WAITING),
            (task) -> daemon(task, "bank-request"));
        responders = Executors.newFixedThreadPool(RESPONDERS, (task) -> daemon(task, "bank-response"));
        stream = new LiveStream(bank);
        server.setExecutor(requests);
        final QueryRoutes queries = new QueryRoutes(bank, kill, killLeader);
        server.createContext("/", new Router(new CommandRoutes(bank, responders), queries, stream));
    }

    /**
     * Starts the server.
     *
     * @param bank to serve.
     * @param port to listen on; 0 for any.
     * @param kill ends this process as a crash would; null if there is no supervisor to start it again.
     * @param killLeader ends the leader of the bank's cluster so; null without a cluster.
     * @return the running server.
     * @throws IOException if the port is in use.
     */
    public static BankWebServer start(
        final BankApplication bank, final int port, final Runnable kill, final Runnable killLeader) throws IOException
    {
        final HttpServer server = HttpServer.create(
            new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), BACKLOG);
        final BankWebServer web = new BankWebServer(server, bank, kill, killLeader);
        web.stream.start();
        server.start();
        return web;
    }

    /** {@return the port} */
    public int port()
    {
        return server.getAddress().getPort();
    }

    /** {@return the address, for a browser} */
    public String address()
    {
        return "http://127.0.0.1:" + port() + "/";
    }

    /** Closes all connections. */
    @Override
    public void close()
    {
        stream.close();
        server.stop(0);
        requests.shutdownNow();
        responders.shutdownNow();
    }

    static Thread daemon(final Runnable task, final String name)
    {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private static void setDefault(final String name, final String value)
    {
        if (null == System.getProperty(name))
        {
            System.setProperty(name, value);
        }
    }
}
