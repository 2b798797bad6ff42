package io.journal.examples.bank.journal;

/**
 * Figures of the journal.
 *
 * @param first          sequence of the oldest event that is kept.
 * @param appended       sequence of the newest event.
 * @param written        sequence of the newest event that survives a crash of the process.
 * @param durable        sequence of the newest event that survives a loss of power: the durable watermark.
 * @param fsyncs         number of fsyncs since the journal was opened; of messages to the cluster, if there is one.
 * @param fsyncNs        total duration of the fsyncs.
 * @param longestFsyncNs duration of the longest one.
 * @param segments       number of segment files.
 */
public record JournalStatus(
    long first,
    long appended,
    long written,
    long durable,
    long fsyncs,
    long fsyncNs,
    long longestFsyncNs,
    long segments)
{
}
