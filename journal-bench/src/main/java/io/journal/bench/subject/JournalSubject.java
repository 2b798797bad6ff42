// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.JournalReader.Verification;
import io.journal.Retention;
import io.journal.bench.run.Arguments;
import io.journal.bench.workload.Workload;
import io.journal.store.Backend;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;

/**
 * This journal, with default settings except for backend, segment length, and the options that a case is about.
 */
public final class JournalSubject implements Subject
{
    private static final long FIRST_SEQUENCE = 1;

    private final Journal journal;
    private final JournalAppender appender;
    private final boolean isNotified;
    private volatile long forced;

    public JournalSubject(final Setup setup)
    {
        final boolean isPipelined = Workload.PIPELINED == setup.workload();
        final ForcePolicy policy = policy(setup.args().text("forcePolicy", isPipelined ? "every0ms" : "manual"));
        final JournalBuilder builder = Journal.builder(setup.directory())
            .backend(setup.args().one(Backend.class, "backend", Backend.MAPPED))
            .segmentLength(setup.segmentLength())
            .writeWindow((int)setup.args().number("windowLength", 0))
            .verification(setup.args().one(Verification.class, "verification", Verification.ALWAYS))
            .recycleSegments(setup.args().is("recycling"))
            .force(policy);
        final long kept = setup.args().number("keptSegments", 0);
        journal = (kept > 0 ? builder.retention(Retention.bytes(kept * setup.segmentLength())) : builder).open();
        appender = setup.workload().isShared() ? journal.sharedAppender() : journal.appender();
        forced = journal.lastSequence();
        isNotified = isPipelined && policy.isPeriodic();
        if (isNotified)
        {
            journal.onForced((sequence) -> forced = sequence);
        }
    }

    /** The policy of a name in options and results: manual, everyRecord, every10ms. */
    public static ForcePolicy policy(final String name)
    {
        return switch (name)
        {
            case "manual" -> ForcePolicy.manual();
            case "everyRecord" -> ForcePolicy.everyRecord();
            default -> ForcePolicy.every(Duration.ofMillis(Long.parseLong(name.replaceAll("every(\\d+)ms", "$1"))));
        };
    }

    @Override
    public long removed()
    {
        return journal.firstSequence() - FIRST_SEQUENCE;
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length)
    {
        appender.append(bytes, offset, length);
    }

    public void force()
    {
        journal.force();
    }

    /** Bytes of segments that were appended to. */
    public long appendedBytes()
    {
        return journal.counters().appendedPosition();
    }

    @Override
    public void appendDurably(final byte[] bytes, final int offset, final int length)
    {
        journal.awaitForced(appender.append(bytes, offset, length));
    }

    @Override
    public void appendPipelined(final byte[] bytes, final int offset, final int length, final int inFlight)
    {
        final long sequence = appender.append(bytes, offset, length);
        final long durable = sequence - inFlight + 1;
        if (isNotified)
        {
            while (forced < durable)
            {
                Thread.onSpinWait();
            }
        }
        else if (durable >= journal.firstSequence())
        {
            journal.awaitForced(durable);
        }
    }

    @Override
    public boolean onDurable(final LongConsumer listener)
    {
        journal.onForced(listener::accept);
        return true;
    }

    @Override
    public Lookup openLookup()
    {
        final long first = journal.firstSequence();
        return (number, visitor) -> journal.get(first + number, visitor);
    }

    /** Reads single records with a reader that is moved to each. */
    public Lookup openSeeker()
    {
        final JournalReader reader = journal.openReader();
        final long first = journal.firstSequence();
        return (number, visitor) ->
        {
            reader.seek(first + number);
            reader.poll(visitor, 1);
        };
    }

    @Override
    public Follower openFollower()
    {
        return follower(journal.openReader());
    }

    /** Follows a journal that another process writes. */
    public static Follower openFollower(final Setup setup)
    {
        return follower(Journal.openReadOnly(setup.directory()).openReader());
    }

    private static Follower follower(final JournalReader reader)
    {
        return (visitor) -> reader.poll(visitor, Integer.MAX_VALUE) > 0;
    }

    @Override
    public void replay(final Visitor visitor)
    {
        try (JournalReader reader = journal.openReader())
        {
            while (reader.poll(visitor, Integer.MAX_VALUE) > 0)
            {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public void close()
    {
        journal.close();
    }

    /** Checks the files of a closed journal, and opens it with another backend and with default settings. */
    public static Subject reopenedElsewhere(final Setup setup)
    {
        final Verdict verdict = JournalVerifier.verify(setup.directory());
        if (verdict.isDamaged() || !verdict.isCleanlyClosed())
        {
            throw new IllegalStateException("damaged journal: " + verdict.findings());
        }
        final String other = Backend.FILE_CHANNEL.name().equals(setup.args().text("backend", "")) ?
            Backend.RANDOM_ACCESS_FILE.name() : Backend.FILE_CHANNEL.name();
        return new JournalSubject(new Setup(
            setup.kind(), setup.directory(), setup.memory(), setup.segmentLength(), setup.recordLength(),
            setup.workload(), new Arguments(List.of(), setup.directory(), Map.of("backend", other))));
    }
}
