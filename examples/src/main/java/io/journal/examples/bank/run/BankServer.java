package io.journal.examples.bank.run;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.util.List;

import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.BankDirectory;
import io.journal.examples.bank.command.SnapshotPolicy;
import io.journal.examples.bank.web.BankWebServer;

/**
 * The bank's process. Sends lines to the supervisor on the standard output: {@code READY port} when it serves, and
 * {@code KILL} when the page asks for that.
 */
public final class BankServer
{
    static final String READY = "READY ";
    static final String KILL = "KILL";

    private static final int BIND_ATTEMPTS = 100;
    private static final int HOUSEKEEPING_MS = 200;

    private BankServer()
    {
    }

    /**
     * Entry point.
     *
     * @param args {@code --dir}, {@code --port}; {@code --snapshot-every} events, 0 for snapshots on request only; and
     *             {@code --prune=true} to prune after each.
     * @throws IOException          if the bank cannot be opened.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Options options = new Options(args, List.of("dir", "port", "snapshot-every", "prune"));
        final BankDirectory directory = new BankDirectory(Path.of(options.text("dir", "target/bank")));
        final Parent parent = new Parent((line) ->
        {
            // It sends no lines.
        });
        serve(BankApplication.open(directory, policy(options)), options, parent, null);
    }

    /**
     * {@return when to save snapshots}
     *
     * @param options {@code --snapshot-every} and {@code --prune}.
     */
    public static SnapshotPolicy policy(final Options options)
    {
        return new SnapshotPolicy(
            options.number("snapshot-every", 0), Boolean.parseBoolean(options.text("prune", "false")));
    }

    /**
     * Serves a bank until the parent has ended, and closes it. If the bank fails, the process ends at once.
     *
     * @param opened     the bank.
     * @param options    {@code --port}.
     * @param parent     the process that started this one.
     * @param killLeader ends the leader of the bank's cluster as a crash would; null without a cluster.
     * @throws IOException          if the port is in use.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void serve(
        final BankApplication opened, final Options options, final Parent parent, final Runnable killLeader)
        throws IOException, InterruptedException
    {
        try (BankApplication bank = opened;
            BankWebServer web = startWeb(bank, options.number("port", 0), killLeader))
        {
            send(READY + web.port());
            while (parent.isAlive() && null == bank.commands().failure())
            {
                Thread.sleep(HOUSEKEEPING_MS);
                bank.runMaintenance();
            }
            if (null != bank.commands().failure())
            {
                // What is durable is known after recovery only, so start again, like after a crash.
                System.err.println("The bank failed: " + bank.commands().failure());
                Runtime.getRuntime().halt(1);
            }
        }
    }

    /** The port may be in use for a moment by what is left of a killed server's connections. */
    private static BankWebServer startWeb(final BankApplication bank, final int port, final Runnable killLeader)
        throws IOException, InterruptedException
    {
        for (int attempt = 1;; attempt++)
        {
            try
            {
                return BankWebServer.start(bank, port, () -> send(KILL), killLeader);
            }
            catch (final BindException ex)
            {
                if (BIND_ATTEMPTS == attempt)
                {
                    throw new IOException("the port is in use: port=" + port + "; choose another one", ex);
                }
                Thread.sleep(HOUSEKEEPING_MS / 4);
            }
        }
    }

    /**
     * Sends a line to the parent.
     *
     * @param line without its end.
     */
    public static void send(final String line)
    {
        System.out.println(line);
        System.out.flush();
    }
}
