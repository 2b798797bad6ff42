package io.journal.examples.bank.cluster;

import java.nio.file.Path;
import java.util.List;

import io.journal.examples.bank.run.Options;
import io.journal.examples.bank.run.Parent;
import io.journal.replicated.JournalMember;

/**
 * The process of a member. Prints its role whenever that changes.
 */
public final class MemberServer
{
    private static final int INTERVAL_MS = 100;
    private static final int SEGMENT_LENGTH = 1 << 20;
    private static final int SNAPSHOT_EVERY = 100_000;

    private MemberServer()
    {
    }

    /**
     * Entry point.
     *
     * @param args {@code --dir} of the bank, {@code --id} of the member, {@code --members} of the cluster.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void main(final String[] args) throws InterruptedException
    {
        final Options options = new Options(args, List.of("dir", "id", "members"));
        final ClusterDirectory directory = new ClusterDirectory(Path.of(options.text("dir", "target/bank/cluster")));
        final int memberId = options.number("id", 0);
        final Parent parent = new Parent((line) ->
        {
            // It sends no lines.
        });
        try (JournalMember member = JournalMember
            .builder(memberId, options.text("members", ""), directory.member(memberId))
            .engine(directory.engine(directory.memory())).journal((journal) -> journal.segmentLength(SEGMENT_LENGTH))
            .snapshotEvery(SNAPSHOT_EVERY).start())
        {
            String last = "";
            while (parent.isAlive() && null == member.failure())
            {
                final String state = MemberStates.line(memberId, member.role().toString());
                if (!state.equals(last))
                {
                    System.out.println(state);
                    last = state;
                }
                Thread.sleep(INTERVAL_MS);
            }
        }
    }
}
