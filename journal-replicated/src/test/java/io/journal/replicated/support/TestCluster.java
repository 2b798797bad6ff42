package io.journal.replicated.support;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.replicated.JournalMember;
import io.journal.replicated.ReplicatedJournal;
import io.journal.replicated.ReplicatedJournalBuilder;
import io.journal.replicated.aeron.AeronEngine;
import io.journal.replicated.spi.Role;
import org.agrona.CloseHelper;

import static org.junit.jupiter.api.Assertions.fail;

/**
 * Three members in this process, on loopback.
 */
public final class TestCluster implements AutoCloseable
{
    /** Of a message for which the engine's terms are too short. */
    public static final int MAX_RECORD_LENGTH = 40_000;
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int SEGMENT_LENGTH = 1024 * 1024;

    public final String addresses = Ports.members(3);
    private final Path directory;
    private final JournalMember[] members = new JournalMember[3];

    public TestCluster(final Path directory)
    {
        this.directory = directory;
        for (int i = 0; i < members.length; i++)
        {
            JournalMember.create(i, directory(i));
            start(i);
        }
    }

    public AeronEngine engine()
    {
        return new AeronEngine().termLength(256 * 1024).logSegmentLength(1024 * 1024)
            .heartbeatTimeout(Duration.ofSeconds(3)).memoryDirectory(directory.resolve("memory")).errorHandler((ex) ->
            {
            });
    }

    public Path directory(final int memberId)
    {
        return directory.resolve("member-" + memberId);
    }

    public void start(final int memberId)
    {
        members[memberId] = builder(memberId).start();
    }

    public JournalMember.Builder builder(final int memberId)
    {
        return JournalMember.builder(memberId, addresses, directory(memberId)).forced(false)
            .maxRecordLength(MAX_RECORD_LENGTH)
            .journal((journal) -> journal.segmentLength(SEGMENT_LENGTH)).engine(engine());
    }

    public void stop(final int memberId)
    {
        members[memberId].close();
        members[memberId] = null;
    }

    public JournalMember member(final int memberId)
    {
        return members[memberId];
    }

    public JournalMember leader()
    {
        final JournalMember[] found = new JournalMember[1];
        await("a leader", () ->
        {
            for (final JournalMember member : members)
            {
                if (null != member && Role.LEADER == member.role())
                {
                    found[0] = member;
                }
            }
            return null != found[0];
        });
        return found[0];
    }

    public ReplicatedJournalBuilder writer()
    {
        return writer(addresses);
    }

    public ReplicatedJournalBuilder writer(final String addressesToUse)
    {
        return patient(ReplicatedJournal.builder(addressesToUse).engine(engine()).maxRecordLength(MAX_RECORD_LENGTH));
    }

    /** A writer that gives up only if something hangs, however busy the machine is. */
    public static ReplicatedJournalBuilder patient(final ReplicatedJournalBuilder builder)
    {
        return builder.timeout(PATIENCE).deadline(PATIENCE).windowTimeout(PATIENCE);
    }

    /** Waits until all members that run have applied a record. */
    public void awaitApplied(final long sequence)
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

    public static void await(final String what, final BooleanSupplier condition)
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
            Thread.onSpinWait();
            java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
        }
    }

    /** Text of all records of a member's journal. */
    public List<String> records(final int memberId)
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

    /** Checksum over all records of a member's journal, with their sequences and tags. */
    public long checksum(final int memberId)
    {
        final CRC32C crc = new CRC32C();
        for (final String record : records(memberId))
        {
            crc.update(record.getBytes(StandardCharsets.UTF_8));
        }
        return crc.getValue();
    }

    @Override
    public void close() throws IOException
    {
        CloseHelper.closeAll(members);
    }
}
