package io.journal.replicated;

import io.journal.JournalException;
import io.journal.replicated.spi.Members;

/** What ends a writer, besides another one: exceptions that say what is known of its records, and what to do. */
final class WriterFailures
{
    private static final String CAUSE =
        "; a member may have been started without its files, or lost power with forced(false)";

    private WriterFailures()
    {
    }

    static JournalException noLeader(final Members members, final String obstacle)
    {
        return new JournalException(
            "no leader answers: members=" + members + "; obstacle=" + obstacle +
                "; check that a majority of the members runs, and that this host reaches their UDP ports");
    }

    static UncertainException silence(
        final WriterOptions options, final String obstacle, final long firstSequence, final long lastSequence)
    {
        return new UncertainException(
            "nothing was acknowledged for " + options.deadlineNs() / 1_000_000 + " ms; members=" + options.members() +
                "; obstacle=" + obstacle,
            firstSequence, lastSequence);
    }

    static JournalException unsupported(final byte memberVersion)
    {
        return new JournalException(
            (Protocol.VERSION != memberVersion ? "the members speak another version of the protocol" :
                "the members refused a message of this writer as malformed: their build of the library differs, or " +
                    "this is a bug") +
                ": version=" + Protocol.VERSION + ", members=" + memberVersion +
                "; run the same version of the library everywhere");
    }

    static JournalException recordsLost(final long committed, final long acknowledged, final Members members)
    {
        return new JournalException(
            "the cluster has lost records that it had acknowledged: firstSequence=" + (committed + 1) +
                ", lastSequence=" + acknowledged + ", members=" + members +
                "; none that follow them will be committed" + CAUSE);
    }

    /** The epoch of the members is not newer than the writer's, and yet the writer is not theirs. */
    static JournalException openingLost(
        final long epoch, final long ofMembers, final long acknowledged, final Members members)
    {
        return new JournalException(
            "the cluster has lost that this writer has opened the journal, and with it records that it may have " +
                "acknowledged: epoch=" + epoch + ", ofMembers=" + ofMembers + ", acknowledged=" + acknowledged +
                ", members=" + members + "; none that follow will be committed: connect again" + CAUSE);
    }
}
