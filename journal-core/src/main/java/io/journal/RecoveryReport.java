// SPDX-License-Identifier: Apache-2.0
package io.journal;

/**
 * What opening a journal found and repaired.
 *
 * @param isNew                   whether opening created the journal.
 * @param isCleanlyClosed         whether the last writer closed the journal. Then only its last records were read.
 * @param scanStartPosition       position in bytes at which the scan began; {@code endPosition} if nothing was scanned.
 *                                Damage before it was not searched for.
 * @param endPosition             position in bytes at which the journal ended when it was opened.
 * @param lastSequence            sequence of the last record found; one less than {@link Journal#firstSequence()} if
 *                                there is none.
 * @param durablePosition         durable watermark that opening found, a position in bytes. Everything below it was
 *                                there.
 * @param mayHaveLostAcknowledged whether records that were acknowledged as durable may be lost, since there was no
 *                                durable watermark in {@code journal.control}: then it is unknown what was durable,
 *                                even if nothing was lost. If there was one, no acknowledged record is lost. A killed
 *                                process always leaves one. A loss of power can leave an older one: then that holds if
 *                                the device kept the data that it confirmed. False for a journal that opening created.
 * @param isRewritten             whether the tail above the durable watermark was rewritten before it was forced, since
 *                                an earlier force had not returned.
 * @param tornLength              how many bytes after the end are no part of the log, up to the last byte that is not
 *                                zero, in all segments. They stay where they are until their segment is pruned;
 *                                appending continues after them.
 * @param tornReason              what was found at the end instead of a record; empty if there are no such bytes.
 */
public record RecoveryReport(
    boolean isNew,
    boolean isCleanlyClosed,
    long scanStartPosition,
    long endPosition,
    long lastSequence,
    long durablePosition,
    boolean mayHaveLostAcknowledged,
    boolean isRewritten,
    long tornLength,
    String tornReason)
{
}
