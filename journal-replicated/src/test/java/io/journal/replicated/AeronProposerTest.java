// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A client of the cluster whose own part of Aeron ends, as after a long pause of its process. */
@Tag("slow")
class AeronProposerTest implements Proposer.Replies
{
    @TempDir
    private Path directory;
    private final AtomicInteger leaders = new AtomicInteger();

    @Test
    void clientThatEndedIsReplaced()
    {
        final String members = Ports.members(1);
        JournalMember.create(0, directory.resolve("member"));
        try (JournalMember member = TestCluster.single(directory, members).maxRecordLength(1024).start();
            AeronProposer proposer = new AeronProposer(
                TestCluster.engine(directory), Members.parse(members), 256 * 1024, TestCluster::ignore, this, null))
        {
            awaitConnected(proposer);
            assertEquals(0, member.leaderId());

            proposer.client().close();
            assertFalse(proposer.isConnected());
            assertFalse(proposer.propose(new UnsafeBuffer(new byte[32]), 0, 32));

            awaitConnected(proposer);
            assertTrue(leaders.get() > 1, leaders::toString);
        }
    }

    private static void awaitConnected(final AeronProposer proposer)
    {
        TestCluster.await("a connection", () ->
        {
            proposer.poll();
            return proposer.isConnected();
        });
    }

    @Override
    public void onReply(final DirectBuffer message, final int offset, final int length)
    {
        // This client expects no reply.
    }

    @Override
    public void onLeader(final int memberId)
    {
        leaders.incrementAndGet();
    }
}
