package io.journal.replicated.aeron;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.replicated.JournalMember;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.support.Ports;
import io.journal.replicated.support.TestCluster;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A client of the cluster whose own part of Aeron ends, as after a long pause of its process.
 */
@Tag("slow")
class AeronProposerTest
{
    private static final int MAX_MESSAGE_LENGTH = 16 * 1024;

    @TempDir
    private Path directory;
    private final AtomicInteger leaders = new AtomicInteger();

    @Test
    void clientThatEndedIsReplaced()
    {
        final String members = Ports.members(1);
        final AeronEngine engine = new AeronEngine().termLength(256 * 1024).logSegmentLength(1024 * 1024)
            .heartbeatTimeout(Duration.ofSeconds(10)).memoryDirectory(directory.resolve("memory")).errorHandler((ex) ->
            {
            });
        final Path memberDirectory = directory.resolve("member");
        JournalMember.create(0, memberDirectory);
        try (JournalMember member = JournalMember.builder(0, members, memberDirectory).forced(false)
            .journal((journal) -> journal.segmentLength(1024 * 1024)).maxRecordLength(1024).engine(engine).start();
            AeronProposer proposer =
                new AeronProposer(engine, Members.parse(members), 16 * MAX_MESSAGE_LENGTH, replies(), null))
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

    private Replies replies()
    {
        return new Replies()
        {
            @Override
            public void onReply(final DirectBuffer message, final int offset, final int length)
            {
                // It asks nothing.
            }

            @Override
            public void onLeader(final int memberId)
            {
                leaders.incrementAndGet();
            }
        };
    }
}
