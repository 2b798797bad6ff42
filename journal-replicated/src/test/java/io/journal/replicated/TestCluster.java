// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import org.agrona.CloseHelper;

import static org.junit.jupiter.api.Assertions.fail;

/** Three members in this process, on loopback. */
final class TestCluster implements AutoCloseable
{
    /** The engine's terms are too short for the message of such a record. */
    static final int MAX_RECORD_LENGTH = 40_000;
    static final int SEGMENT_LENGTH = 1024 * 1024;
    private static final int TERM_LENGTH = 256 * 1024;
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    final String addresses = Ports.members(3);
    private final Path directory;
    private final JournalMember[] members = new JournalMember[3];

    TestCluster(final Path directory)
    {
        this.directory = directory;
        for (int i = 0; i < members.length; i++)
        {
            JournalMember.create(i, directory(i));
            start(i);
        }
    }

    /** Short buffers and files, below a directory. */
    static AeronEngine engine(final Path directory)
    {
        return new AeronEngine().termLength(TERM_LENGTH).logSegmentLength(SEGMENT_LENGTH)
            .heartbeatTimeout(Duration.ofSeconds(3)).memoryDirectory(directory.resolve("memory"));
    }

    /** The only member of a cluster. No leader is lost while the machine is busy with something else. */
    static JournalMember.Builder single(final Path directory, final String address)
    {
        return JournalMember.builder(0, address, directory.resolve("member")).forced(false)
            .journal((journal) -> journal.segmentLength(SEGMENT_LENGTH))
            .engine(engine(directory).heartbeatTimeout(Duration.ofSeconds(10))).errorHandler(TestCluster::ignore);
    }

    /** A writer that gives up only if something hangs, however busy the machine is. */
    static ReplicatedJournalBuilder writer(final Path directory, final String addresses)
    {
        return patient(
            ReplicatedJournal.builder(addresses).engine(engine(directory)).errorHandler(TestCluster::ignore));
    }

    static ReplicatedJournalBuilder patient(final ReplicatedJournalBuilder builder)
    {
        return builder.timeout(PATIENCE).deadline(PATIENCE).windowTimeout(PATIENCE);
    }

    /** The machine of a member that fsyncs. */
    static JournalMachine machine(final Journal journal, final int members)
    {
        return new JournalMachine(journal, members, true, ErrorHandlers.LOGGED);
    }

    static void ignore(final Throwable ex)
    {
        // The test checks the consequences.
    }

    Path directory(final int memberId)
    {
        return directory.resolve("member-" + memberId);
    }

    void start(final int memberId)
    {
        members[memberId] = builder(memberId).start();
    }

    JournalMember.Builder builder(final int memberId)
    {
        return JournalMember.builder(memberId, addresses, directory(memberId)).forced(false)
            .maxRecordLength(MAX_RECORD_LENGTH).journal((journal) -> journal.segmentLength(SEGMENT_LENGTH))
            .engine(engine(directory)).errorHandler(TestCluster::ignore);
    }

    void stop(final int memberId)
    {
        members[memberId].close();
        members[memberId] = null;
    }

    JournalMember member(final int memberId)
    {
        return members[memberId];
    }

    JournalMember leader()
    {
        final JournalMember[] found = new JournalMember[1];
        await("a leader", () ->
        {
            for (final JournalMember member : members)
            {
                if (null != member && member.isLeader())
                {
                    found[0] = member;
                }
            }
            return null != found[0];
        });
        return found[0];
    }

    int follower()
    {
        return (leader().memberId() + 1) % members.length;
    }

    ReplicatedJournalBuilder writer()
    {
        return writer(directory, addresses).maxRecordLength(MAX_RECORD_LENGTH);
    }

    /** Waits until all members that run have applied a record. */
    void awaitApplied(final long sequence)
    {
        for (final JournalMember member : members)
        {
            if (null != member)
            {
                await(
                    "record " + sequence + " at " + member,
                    () -> null != member.failure() || member.lastSequence() >= sequence);
                if (null != member.failure())
                {
                    fail("member failed: " + member, member.failure());
                }
            }
        }
    }

    static void await(final String what, final BooleanSupplier condition)
    {
        await(what, PATIENCE.toNanos(), condition);
    }

    static void await(final String what, final long deadlineNs, final BooleanSupplier condition)
    {
        final long beginNs = System.nanoTime();
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - beginNs > deadlineNs)
            {
                fail("waited in vain for " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Text of all records of a member's journal. */
    List<String> records(final int memberId)
    {
        final List<String> records = new ArrayList<>();
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory(memberId).resolve("journal"));
            JournalReader reader = journal.openReader())
        {
            reader.poll(
                (buffer, offset, length, header) -> records.add(
                    header.sequence() + ":" + header.tag() + ":" + buffer.getStringWithoutLengthUtf8(offset, length)),
                Integer.MAX_VALUE);
        }
        return records;
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(members);
    }
}
