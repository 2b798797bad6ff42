package io.journal.peers;

/**
 * One measurement: what is done, by which peer, with which lengths. Stored with each result.
 *
 * @param amount  bytes of records, or of timed workloads ({@link Workload#isTimed()}) milliseconds to measure.
 * @param threads that append or read; of {@link Workload#PIPELINED} the number of records in flight.
 */
record Case(PeerKind peer, Workload workload, int recordLength, int segmentLength, long amount, int threads)
{
    private static final int KIB = 1024;

    String label()
    {
        final StringBuilder label = new StringBuilder(peer.title()).append(", ").append(workload.title())
            .append(", ").append(length(recordLength)).append(", segments of ").append(length(segmentLength));
        if (threads > 1)
        {
            label.append(", ").append(workload.column(threads));
        }
        return label.toString();
    }

    long count()
    {
        return Math.max(1, amount / recordLength);
    }

    static String length(final long bytes)
    {
        if (bytes >= KIB * KIB)
        {
            return bytes / KIB / KIB + " MiB";
        }
        return bytes >= KIB ? bytes / KIB + " KiB" : bytes + " B";
    }
}
