// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.io.IOException;

import io.javalin.util.JavalinBindException;
import io.journal.JournalLockedException;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.BankFiles;
import io.journal.examples.bank.cluster.ClusterFiles;
import io.journal.examples.bank.cluster.ClusterJournal;
import io.journal.examples.bank.journal.BankJournal;
import io.journal.examples.bank.journal.LocalJournal;
import io.journal.examples.bank.web.BankWebServer;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The bank's process. Prints two kinds of lines for the supervisor: {@code READY} and the port once it accepts
 * requests, and {@code KILL} and {@code server} or the number of a member when the page asks to kill that process.
 */
public final class BankServer
{
    static final String READY = "READY ";
    static final String KILL = "KILL ";

    private static final int MAINTENANCE_MS = 200;

    private BankServer()
    {
    }

    /** Entry point; for the arguments see {@link Options}. */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        ChildProcess.begin();
        final Options options = Options.parse(args);
        try (BankApplication bank = open(options); BankWebServer web =
            new BankWebServer(bank, options.port(), (process) -> System.out.println(KILL + process)))
        {
            System.out.println(READY + web.port());
            while (ChildProcess.isRunning() && null == bank.commands().failure())
            {
                Thread.sleep(MAINTENANCE_MS);
                bank.runMaintenance();
            }
            if (null != bank.commands().failure())
            {
                // Only recovery shows which events are durable, so end the process, as a crash would: the supervisor
                // restarts it.
                System.err.println("The bank failed: " + bank.commands().failure());
                Runtime.getRuntime().halt(1);
            }
        }
        catch (final JavalinBindException ex)
        {
            System.err.println("Port " + options.port() + " is in use. Choose another: -Dbank.port=8080");
            Runtime.getRuntime().halt(ChildProcess.CANNOT_START);
        }
        catch (final JournalLockedException ex)
        {
            System.err.println("The journal is in use: " + ex.getMessage());
            Runtime.getRuntime().halt(ChildProcess.CANNOT_START);
        }
    }

    private static BankApplication open(final Options options) throws IOException
    {
        final BankFiles files = new BankFiles(Options.directory(options));
        final BankJournal journal = options.isCluster() ?
            new ClusterJournal(new ClusterFiles(files.path()), options.members()) :
            new LocalJournal(LocalJournal.settings(files.journal()).open());
        return new BankApplication(
            files, journal, SystemEpochClock.INSTANCE, options.isCluster() ? 0 : options.snapshotEvery());
    }
}
