package io.journal.examples.bank.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.BankDirectory;
import io.journal.examples.bank.run.BankServer;
import io.journal.examples.bank.run.Options;
import io.journal.examples.bank.run.Parent;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The bank's process, on a cluster. Sends the lines of {@link BankServer}, and {@code KILL MEMBER id}.
 */
public final class ClusterServer
{
    static final String KILL_MEMBER = "KILL MEMBER ";

    private ClusterServer()
    {
    }

    /**
     * Entry point.
     *
     * @param args as of {@link BankServer}, and {@code --members} of the cluster.
     * @throws IOException          if the bank cannot be opened.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Options options = new Options(args, List.of("dir", "port", "snapshot-every", "prune", "members"));
        final Path path = Path.of(options.text("dir", "target/bank/cluster"));
        final MemberStates states = new MemberStates();
        final Parent parent = new Parent(states::accept);
        final ClusterJournal journal =
            ClusterJournal.connect(new ClusterDirectory(path), options.text("members", ""), states);
        final BankApplication bank = BankApplication.open(
            new BankDirectory(path), journal, SystemEpochClock.INSTANCE, BankServer.policy(options));
        BankServer.serve(
            bank, options, parent, () -> BankServer.send(KILL_MEMBER + journal.cluster().leaderId()));
    }
}
