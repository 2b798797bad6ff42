package io.journal.replicated;

import io.journal.replicated.spi.Members;

/**
 * Settings of a {@link Writer}.
 *
 * @param members         of the cluster.
 * @param windowRecords   most records in flight.
 * @param windowBytes     most bytes in flight.
 * @param maxRecordLength in bytes.
 * @param deadlineNs      how long nothing may be acknowledged while records are in flight.
 */
record WriterOptions(Members members, int windowRecords, int windowBytes, int maxRecordLength, long deadlineNs)
{
}
