package io.journal.tools;

import java.util.List;

import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.SegmentCheck;
import io.journal.verify.Verdict;

/**
 * What is to be repaired once {@code journal.control} and the segment headers are readable, and what is lost by it.
 */
final class RepairPlan
{
    final Verification verification;
    /** Files that have to be moved out of the way first. */
    final List<String> strayFiles;
    final boolean isTruncation;
    final boolean isRepairable;
    final long firstSequence;
    final long lastSequence;
    final long lastSequenceLost;
    final long endPosition;

    /**
     * @param isRebuilt whether files were rebuilt before.
     * @throws CommandException if something could not be read.
     */
    RepairPlan(final Verification verification, final boolean isRebuilt)
    {
        if (verification.isUnreadable())
        {
            throw new CommandException(
                ExitCode.FAILED, "some files could not be read, and may be intact: nothing " +
                    (isRebuilt ? "else " : "") + "was changed; journal verify lists them: fix their permissions or " +
                    "the device, or repair a copy on another one");
        }

        this.verification = verification;
        final Verdict verdict = verification.verdict();
        strayFiles = verdict.findings().stream()
            .filter(Finding::isStrayFile).map((finding) -> finding.place().file()).toList();
        isTruncation = verdict.findings().stream().anyMatch(
            (finding) -> Severity.DAMAGE == finding.severity() && finding.place().position() >= 0);
        firstSequence = verdict.firstSequence();
        lastSequence = verdict.lastSequence();
        lastSequenceLost = verdict.segments().stream().mapToLong(SegmentCheck::nextSequence).max().orElse(0) - 1;
        endPosition = verdict.endPosition();
        isRepairable = strayFiles.isEmpty() && (isTruncation ? verdict.isRepairableByTruncation() :
            !verification.isOfNewerFormat() && !isUnplacedDamage(verdict));
    }

    /**
     * Whether there is damage without a position, which a truncation cannot remove.
     */
    private static boolean isUnplacedDamage(final Verdict verdict)
    {
        return verdict.findings().stream().anyMatch((finding) -> Severity.DAMAGE == finding.severity() &&
            finding.place().position() < 0 && !finding.isStrayFile());
    }
}
