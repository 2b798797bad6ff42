// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.io.IOException;

import io.journal.examples.bank.cluster.ClusterFiles;
import io.journal.replicated.JournalMember;

/**
 * The process of a member of the cluster.
 */
public final class MemberProcess
{
    private static final int INTERVAL_MS = 100;
    private static final int SEGMENT_LENGTH = 1 << 20;
    private static final int SNAPSHOT_EVERY = 100_000;

    private MemberProcess()
    {
    }

    /** Entry point; for the arguments see {@link Options}. */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        ChildProcess.begin();
        final Options options = Options.parse(args);
        final ClusterFiles files = new ClusterFiles(Options.directory(options));
        try (JournalMember member = JournalMember
            .builder(options.member(), options.members(), files.member(options.member()))
            .engine(files.engine()).journal((journal) -> journal.segmentLength(SEGMENT_LENGTH))
            .snapshotEvery(SNAPSHOT_EVERY).start())
        {
            files.writePid(options.member());
            while (ChildProcess.isRunning() && null == member.failure())
            {
                Thread.sleep(INTERVAL_MS);
            }
        }
    }
}
