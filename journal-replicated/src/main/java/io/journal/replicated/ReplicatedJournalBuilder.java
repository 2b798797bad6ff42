// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;

import io.journal.JournalException;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Settings of a {@link ReplicatedJournal} to open, each with a usable default. Not thread-safe.
 */
public final class ReplicatedJournalBuilder
{
    /** Length of the longest record by default, in bytes. */
    public static final int DEFAULT_MAX_RECORD_LENGTH = 64 * 1024;

    private static final int DEFAULT_WINDOW_RECORDS = 4096;
    private static final int DEFAULT_WINDOW_BYTES = 4 * 1024 * 1024;

    final Members members;
    Duration timeout = Duration.ofSeconds(30);
    Duration windowTimeout = Duration.ofSeconds(10);
    ErrorHandler errorHandler = ErrorHandlers.LOGGED;
    Duration deadline = Duration.ofSeconds(30);
    int windowRecords = DEFAULT_WINDOW_RECORDS;
    int windowBytes = DEFAULT_WINDOW_BYTES;
    int maxRecordLength = DEFAULT_MAX_RECORD_LENGTH;
    AeronEngine engine = new AeronEngine();

    ReplicatedJournalBuilder(final String members)
    {
        this.members = Members.parse(members);
    }

    /**
     * Sets how long {@link #connect()} looks for a leader. 30 seconds by default.
     *
     * @param newTimeout positive.
     * @return this builder.
     */
    public ReplicatedJournalBuilder timeout(final Duration newTimeout)
    {
        timeout = positive(newTimeout, "timeout");
        return this;
    }

    /**
     * Sets how long records may be in flight without any being acknowledged, before the writer ends with an
     * {@link UncertainException}. 30 seconds by default: longer than a change of the leader takes.
     *
     * @param newDeadline positive.
     * @return this builder.
     */
    public ReplicatedJournalBuilder deadline(final Duration newDeadline)
    {
        deadline = positive(newDeadline, "deadline");
        return this;
    }

    /**
     * Limits the records in flight, and so the memory for them. An append beyond that waits. 4096 records and 4 MiB by
     * default.
     *
     * @param records 1 or more.
     * @param bytes   1 or more; room for two of the longest records is taken at least.
     * @return this builder.
     */
    public ReplicatedJournalBuilder window(final int records, final int bytes)
    {
        if (records < 1 || records > 1 << 20 || bytes < 1 || bytes > 1 << 30)
        {
            throw new IllegalArgumentException("window out of range: records=" + records + ", bytes=" + bytes);
        }

        windowRecords = records;
        windowBytes = bytes;
        return this;
    }

    /**
     * Sets how long an append waits for room in the window before it throws an exception. 10 seconds by default.
     *
     * @param newTimeout positive.
     * @return this builder.
     */
    public ReplicatedJournalBuilder windowTimeout(final Duration newTimeout)
    {
        windowTimeout = positive(newTimeout, "windowTimeout");
        return this;
    }

    /**
     * Sets the length of the longest record. The members' limit applies too. 64 KiB by default.
     *
     * @param length in bytes, 1 to 4 MiB.
     * @return this builder.
     */
    public ReplicatedJournalBuilder maxRecordLength(final int length)
    {
        maxRecordLength = Protocol.checkRecordLength(length);
        return this;
    }

    /**
     * Sets Aeron's settings.
     *
     * @param newEngine settings that fit those of the members.
     * @return this builder.
     */
    public ReplicatedJournalBuilder engine(final AeronEngine newEngine)
    {
        engine = Objects.requireNonNull(newEngine, "engine");
        return this;
    }

    /**
     * Sets the handler for errors in the background. By default they are logged.
     *
     * @param newHandler called by any thread. What it throws is logged.
     * @return this builder.
     */
    public ReplicatedJournalBuilder errorHandler(final ErrorHandler newHandler)
    {
        errorHandler = Objects.requireNonNull(newHandler, "errorHandler");
        return this;
    }

    /**
     * Looks for the leader and opens the journal. Fences the previous writer.
     *
     * @return the journal; the caller must close it.
     * @throws JournalException if no leader answers in time, or a resource is missing: the message says what to do. Or
     *                          if the thread is interrupted, which keeps its interrupt status.
     */
    public ReplicatedJournal connect()
    {
        AeronEngine.checkFlag();
        final int termLength = engine.termFor(Protocol.maxMessageLength(maxRecordLength));
        return connect((replies) -> new AeronProposer(
            engine, members, termLength, ErrorHandlers.guarded(errorHandler), replies, null));
    }

    /** Connects to a leader without Aeron, for tests. */
    ReplicatedJournal connect(final Function<Proposer.Replies, Proposer> connector)
    {
        return ReplicatedJournal.connect(this, new Writer(connector, this, SystemNanoClock.INSTANCE));
    }

    private static Duration positive(final Duration duration, final String name)
    {
        if (duration.isZero() || duration.isNegative())
        {
            throw new IllegalArgumentException(name + " must be positive: " + name + '=' + duration);
        }

        return duration;
    }
}
