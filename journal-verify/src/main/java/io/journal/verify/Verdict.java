// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.util.List;

/**
 * The conclusion of a verification for the whole journal.
 *
 * @param findings         in the order of their places; empty if all is well.
 * @param segments         number of segments in use; segments prepared in advance do not count.
 * @param records          number of records that can be read, including records after damage.
 * @param firstSequence    the first record that was not pruned.
 * @param lastSequence     the last record of the part in which everything is valid, {@code firstSequence - 1} if there
 *                         is none.
 * @param lastReadSequence the last record that can be read, also after damage.
 * @param firstPosition    where the first record begins, in bytes.
 * @param endPosition      end of the part in which everything is valid: where a repair truncates the journal.
 * @param forcedPosition   the durable watermark: the highest position that is known to have been durable.
 * @param tailLength       bytes after the end, which the next opening leaves out of the log.
 * @param isCleanlyClosed  whether a writer has closed the journal at that end.
 */
public record Verdict(
    List<Finding> findings, int segments, long records, long firstSequence, long lastSequence, long lastReadSequence,
    long firstPosition, long endPosition, long forcedPosition, long tailLength, boolean isCleanlyClosed)
{
    private record Damage(Finding.Severity severity, Finding.Place place, String found)
    {
    }

    /** {@return whether anything is damaged, unusable, unreadable or of a newer format} */
    public boolean isDamaged()
    {
        return findings.stream().anyMatch(Finding::isDamage);
    }

    /**
     * Whether {@link JournalRepair#truncate} at {@link #endPosition()} is the repair: something is damaged there, and
     * records are left before it. False while anything cannot be read or is of a newer format, since the records may be
     * intact, and if there is damage that a truncation does not remove. Files that are merely in the way, see
     * {@link Finding#isStrayFile()}, do not count.
     *
     * @return whether it is.
     */
    public boolean isRepairableByTruncation()
    {
        return findings.stream().anyMatch(Finding::isTruncatable) &&
            findings.stream().noneMatch(Finding::forbidsTruncation) && lastSequence >= firstSequence;
    }

    /** {@return whether every record up to the end was read and is what was written; any damage is elsewhere} */
    public boolean areRecordsWhole()
    {
        return findings.stream().noneMatch(Finding::concernsRecords);
    }

    /** Whether another verdict has the same damage: at the same places, whatever else a writer has changed since. */
    boolean isOfSameDamage(final Verdict other)
    {
        return damage().equals(other.damage());
    }

    private List<Damage> damage()
    {
        return findings.stream().filter(Finding::isDamage)
            .map((finding) -> new Damage(
                finding.severity(), finding.place(), finding.place().position() < 0 ? finding.found() : ""))
            .toList();
    }
}
