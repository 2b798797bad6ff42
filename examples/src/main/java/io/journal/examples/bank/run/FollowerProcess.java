// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.io.IOException;
import java.nio.file.Path;

import io.journal.examples.bank.BankFiles;
import io.journal.examples.bank.cluster.ClusterFiles;
import io.journal.examples.bank.read.TurnoverFollower;

/**
 * The process that builds a read model beside the bank.
 */
public final class FollowerProcess
{
    private FollowerProcess()
    {
    }

    /** Entry point; for the arguments see {@link Options}. */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        ChildProcess.begin();
        final Options options = Options.parse(args);
        final BankFiles files = new BankFiles(Options.directory(options));
        // On a cluster, the follower also reads the journal of a member, and waits while that member is down.
        final Path journal = options.isCluster() ?
            new ClusterFiles(files.path()).journal(ClusterFiles.MEMBERS - 1) : files.journal();
        TurnoverFollower.follow(journal, files.turnover(), ChildProcess::isRunning);
    }
}
