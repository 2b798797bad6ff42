// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

/**
 * A member of the cluster. It takes part in the consensus, and appends committed records to a local journal, which any
 * number of readers in any process can follow with {@link Journal#openReadOnly}. Nobody else may append to that
 * journal.
 * <p>
 * All files are in one directory, which belongs to one process at a time. If a member fails, for example because its
 * disk is full, it ends, and the others continue. Start it again once the cause is gone, and it catches up.
 * Thread-safe.
 */
public final class JournalMember implements AutoCloseable
{
    /** The number of UDP ports that a member uses: the port of its address and the ports after it. */
    public static final int PORTS = 5;

    /** In place of the leader's id if there is none. */
    public static final int NO_LEADER = -1;

    private final int memberId;
    private final Journal journal;
    private final JournalMachine machine;
    private final Member member;
    private final Maintenance maintenance;

    private JournalMember(
        final int memberId,
        final Journal journal,
        final JournalMachine machine,
        final Member member,
        final Maintenance maintenance)
    {
        this.maintenance = maintenance;
        this.memberId = memberId;
        this.journal = journal;
        this.machine = machine;
        this.member = member;
    }

    /**
     * Creates the directory of a member of a new cluster. Call this once for each member, before its first start. Never
     * call it for a member that has run before: if the member has lost its files, seed it from another member
     * ({@link MemberSeed}). Started empty, it would vote without the records that it has acknowledged, and the cluster
     * could lose them.
     *
     * @param memberId  index of the member among the members, from 0.
     * @param directory of the member: empty, but for a volume's {@code lost+found}; created if only its parent exists.
     * @throws IllegalArgumentException            if the id is negative.
     * @throws io.journal.JournalNotFoundException if the directory's parent does not exist; nothing was created.
     * @throws JournalException                    if the directory is not empty, or cannot be created.
     */
    public static void create(final int memberId, final Path directory)
    {
        if (memberId < 0)
        {
            throw new IllegalArgumentException("no such member: memberId=" + memberId);
        }

        new MemberDirectory(Objects.requireNonNull(directory, "directory")).create(memberId);
    }

    /**
     * Settings of a member to start.
     *
     * @param memberId  index of the member among the members, from 0.
     * @param members   {@code host:port} of each member, separated by commas: the same for all of them. A member uses
     *                  {@link #PORTS} UDP ports, from that of its address on.
     * @param directory of the member: made by {@link #create}, or a copy that {@link MemberSeed} has made.
     * @return the settings.
     * @throws IllegalArgumentException if an address is malformed, or there is no member of this id.
     */
    public static Builder builder(final int memberId, final String members, final Path directory)
    {
        return new Builder(memberId, members, directory);
    }

    /** {@return the id of this member} */
    public int memberId()
    {
        return memberId;
    }

    /** {@return whether this member leads} */
    public boolean isLeader()
    {
        return member.isLeader();
    }

    /** {@return the id of the leader as far as this member knows, or {@link #NO_LEADER}} */
    public int leaderId()
    {
        return member.leaderId();
    }

    /** {@return the sequence of the newest record that this member has applied} */
    public long lastSequence()
    {
        return machine.lastSequence();
    }

    /** {@return how far the cluster's log is committed as far as this member knows, in bytes} */
    public long commitPosition()
    {
        return member.commitPosition();
    }

    /** {@return the directory of the local journal} */
    public Path journalPath()
    {
        return journal.path();
    }

    /** {@return the sequence of the newest record in a snapshot that this member has taken or started with} */
    public long snapshotSequence()
    {
        return machine.newestSnapshot().sequence();
    }

    /** {@return why this member ended by itself; null while it runs} */
    public Throwable failure()
    {
        return member.failure();
    }

    /**
     * Requests a snapshot of all members, so that a restart replays only what follows it. Does not wait for it.
     *
     * @return whether the request was taken: this member leads, and no snapshot is in progress.
     */
    public boolean requestSnapshot()
    {
        return member.requestSnapshot();
    }

    /**
     * Leaves the cluster and closes the local journal. Idempotent.
     */
    @Override
    public void close()
    {
        try
        {
            maintenance.close();
            member.close();
        }
        finally
        {
            journal.close();
        }
    }

    @Override
    public String toString()
    {
        return "JournalMember{memberId=" + memberId + ", isLeader=" + isLeader() + ", leaderId=" + leaderId() +
            ", lastSequence=" + lastSequence() + ", journal=" + journalPath() + '}';
    }

    /**
     * Settings of a member, each with a usable default. Not thread-safe.
     */
    public static final class Builder
    {
        private static final long DEFAULT_SNAPSHOT_EVERY = 1_000_000;
        private static final Duration FORCE_INTERVAL = Duration.ofMillis(100);

        final int memberId;
        final Members members;
        final MemberDirectory directory;
        boolean isForced = true;
        int maxRecordLength = ReplicatedJournalBuilder.DEFAULT_MAX_RECORD_LENGTH;
        private UnaryOperator<JournalBuilder> journalSettings = UnaryOperator.identity();
        AeronEngine engine = new AeronEngine();
        private long snapshotEvery = DEFAULT_SNAPSHOT_EVERY;
        // A handler that never throws: otherwise Aeron's threads would end, one by one, while their member seems to
        // take part.
        ErrorHandler errorHandler = ErrorHandlers.guarded(ErrorHandlers.LOGGED);
        // Tests set another version.
        int version = Protocol.VERSION;

        Builder(final int memberId, final String members, final Path directory)
        {
            this.memberId = memberId;
            this.members = Members.parse(members);
            this.directory = new MemberDirectory(Objects.requireNonNull(directory, "directory"));
            if (memberId < 0 || memberId >= this.members.count())
            {
                throw new IllegalArgumentException(
                    "no such member: memberId=" + memberId + ", members=" + members + ", which are those from 0 to " +
                        (this.members.count() - 1));
            }
        }

        /**
         * Sets whether a record counts as committed only once a majority has fsynced it. True by default. If not, a
         * majority has it in memory: it survives the crash of any processes and the loss of a minority of machines,
         * but not a loss of power to all of them at once. A machine that lost power may have lost what its member
         * acknowledged then: seed the member ({@link MemberSeed}) before it runs again.
         *
         * @param newIsForced the same for all members.
         * @return this builder.
         */
        public Builder forced(final boolean newIsForced)
        {
            isForced = newIsForced;
            return this;
        }

        /**
         * Sets the length of the longest record. 64 KiB by default. To raise it, restart the members one by one. The
         * limit is what the cluster's log takes, which is fixed when the cluster is created: about an eighth of the
         * engine's term length at that time, 1 MiB with the defaults. The length cannot be lowered: a member ends if
         * its limit is less than the limit of the leader, or the limit in the cluster's log.
         *
         * @param length in bytes, 1 to 4 MiB, the same for all members; rounded up to a multiple of 64.
         * @return this builder.
         */
        public Builder maxRecordLength(final int length)
        {
            maxRecordLength = Protocol.roundUp(Protocol.checkRecordLength(length));
            return this;
        }

        /**
         * Changes settings of the local journal, such as its backend or the length of its segments. By default it is
         * fsynced every 100 ms, and no acknowledgement waits for that: the cluster's log replays whatever the journal
         * loses in a crash.
         *
         * @param settings are passed to this function before the journal is opened.
         * @return this builder.
         */
        public Builder journal(final UnaryOperator<JournalBuilder> settings)
        {
            journalSettings = Objects.requireNonNull(settings, "settings");
            return this;
        }

        /**
         * Sets after how many records the leader requests the next snapshot of all members. A restart replays the
         * records after the newest snapshot. A million by default.
         *
         * @param records 1 or more; {@link Long#MAX_VALUE} for none but those that are requested.
         * @return this builder.
         */
        public Builder snapshotEvery(final long records)
        {
            if (records < 1)
            {
                throw new IllegalArgumentException("snapshotEvery out of range: snapshotEvery=" + records);
            }

            snapshotEvery = records;
            return this;
        }

        /**
         * Sets Aeron's settings.
         *
         * @param newEngine settings that fit those of all members and writers.
         * @return this builder.
         */
        public Builder engine(final AeronEngine newEngine)
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
        public Builder errorHandler(final ErrorHandler newHandler)
        {
            errorHandler = ErrorHandlers.guarded(Objects.requireNonNull(newHandler, "errorHandler"));
            return this;
        }

        /**
         * Starts the member, which joins the others in the background.
         *
         * @return the running member; the caller must close it.
         * @throws io.journal.JournalLockedException if another process runs this member.
         * @throws IllegalArgumentException          if maxRecordLength is more than the member's journal or the
         *                                           cluster's log takes.
         * @throws JournalException                  if it cannot be started. The message says what to do.
         */
        public JournalMember start()
        {
            AeronEngine.checkFlag();
            directory.check(memberId);
            final Journal journal = journalSettings.apply(
                Journal.builder(directory.journal()).maxRecordLength(maxRecordLength)
                    .force(ForcePolicy.every(FORCE_INTERVAL)).errorHandler(errorHandler))
                .open();
            Member member = null;
            try
            {
                // From here on no other process uses the directory, because the journal is locked.
                final JournalMachine machine =
                    new JournalMachine(journal, members.count(), isForced, errorHandler);
                final int messageOfLog = AeronMember.maxMessageLength(directory.engine());
                // Without the log, the member would vote without the records that it has acknowledged.
                directory.checkLog(journal.lastSequence(), Integer.MAX_VALUE != messageOfLog);
                checkRecordLength(journal.appender().maxRecordLength(), messageOfLog);
                member = new AeronMember(this, machine);
                final Maintenance maintenance =
                    new Maintenance(memberId, machine, member, snapshotEvery, errorHandler);
                maintenance.start();
                return new JournalMember(memberId, journal, machine, member, maintenance);
            }
            catch (final Throwable ex)
            {
                CloseHelper.quietCloseAll(member, journal);
                throw ex;
            }
        }

        int maxMessageLength()
        {
            return Protocol.maxMessageLength(maxRecordLength);
        }

        private void checkRecordLength(final int ofJournal, final int messageOfLog)
        {
            if (ofJournal < maxRecordLength)
            {
                throw new IllegalArgumentException(
                    "the journal's maxRecordLength is less than the member's: journal=" + ofJournal + ", member=" +
                        maxRecordLength + "; set it for the member alone");
            }
            if (messageOfLog < maxMessageLength())
            {
                // The leader could not append such a record, and its writer would send it again for ever.
                throw new IllegalArgumentException(
                    "the member's maxRecordLength is more than the cluster's log takes, which keeps the lengths that " +
                        "it was created with: maxRecordLength=" + maxRecordLength + ", limit=" +
                        Protocol.maxRecordLengthIn(messageOfLog) + "; start the member again with that, or less");
            }
        }
    }
}
