// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.JournalRepair;
import io.journal.verify.JournalRepair.Range;
import io.journal.verify.JournalRepair.Rebuild;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "repair",
    header = "Makes a damaged journal open again. Records after the damage are lost.",
    description = {
        "",
        "Only shows what it would do, unless --apply is given. Restoring a backup is always better.",
        "",
        "If journal.control or the header of a segment is damaged, it is first rebuilt from all other files; other " +
            "damage can be detected only after that. A rebuilt journal.control lacks the cursors. It also lacks the " +
            "newest truncation if nothing was appended after it.",
        "",
        "Sequences have no gaps, so a journal cannot continue after a hole: it is truncated at the first damage. " +
            "The truncated bytes stay in their files, where the journal skips them; truncated segments are deleted " +
            "when the journal is next opened for writing. Copy the directory first.",
        "",
        "A file that is named like a segment but is no segment must be moved out of the directory first.",
        "",
        "A torn tail needs no repair: opening the journal removes it from the log." })
final class RepairCommand extends JournalCommand
{
    @Option(names = "--apply", description = "Repair the journal. Takes its lock.")
    private boolean isApplied;

    @Option(
        names = "--accept-loss",
        description = "Accept the loss of durable records. --apply needs it if the repair loses any.")
    private boolean isLossAccepted;

    private final List<Range> truncated = new ArrayList<>();
    private List<Rebuild> rebuilds = List.of();
    // Null as long as files have to be rebuilt, because other damage can be detected only after that.
    private Verdict verdict;
    private boolean isChanged;
    private boolean isRepaired;

    /** The result, as JSON reports it. */
    private record Report(
        boolean isRepaired, boolean isTruncation, List<Rebuild> rebuilt, List<Range> truncated, Verdict verdict)
    {
    }

    @Override
    public Integer call()
    {
        try
        {
            if (isApplied)
            {
                apply();
            }
            else
            {
                rebuilds = JournalRepair.rebuildable(path);
                verdict = rebuilds.isEmpty() ? verify() : null;
            }
        }
        catch (final RuntimeException ex)
        {
            if (isChanged)
            {
                report();
            }
            throw ex;
        }

        report();
        return isRepaired || null != verdict && verdict.areRecordsWhole() ? ExitCode.OK :
            null != verdict && has(Severity.NEWER_FORMAT) ? ExitCode.NO_JOURNAL : ExitCode.DAMAGED;
    }

    private void apply()
    {
        try (JournalRepair repair = JournalRepair.open(path))
        {
            rebuilds = JournalRepair.rebuildable(path);
            if (isBeginningLost() && !isLossAccepted)
            {
                return;
            }
            rebuilds = repair.rebuild();
            isChanged = !rebuilds.isEmpty();
            verdict = verify();
            if (isTruncation() && isLossAccepted)
            {
                truncated.addAll(repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1));
                isChanged = true;
            }
        }
        if (isChanged && (verdict.areRecordsWhole() || !truncated.isEmpty()))
        {
            // Prove that the journal opens. Open it for reading only, because opening for writing would delete
            // segments.
            Journal.openReadOnly(path).close();
            isRepaired = true;
        }
    }

    private Verdict verify()
    {
        final Verdict found = JournalVerifier.verify(path);
        if (found.findings().stream().anyMatch(
            (finding) -> Severity.UNREADABLE == finding.severity() && finding.concernsRecords()))
        {
            throw new CommandException(
                ExitCode.FAILED, "some files could not be read, and may be intact: nothing " +
                    (isChanged ? "else " : "") + "was changed; journal verify lists them: fix their permissions or " +
                    "the device, or repair a copy on another one");
        }
        return found;
    }

    /**
     * Whether a truncation repairs the remaining damage. It does not if there is a stray file, which has to be moved
     * away first.
     */
    private boolean isTruncation()
    {
        return null != verdict && verdict.isRepairableByTruncation() &&
            verdict.findings().stream().noneMatch(Finding::isStrayFile);
    }

    private boolean isBeginningLost()
    {
        return rebuilds.stream().anyMatch((rebuild) -> 0 != rebuild.lost());
    }

    private boolean has(final Severity severity)
    {
        return verdict.findings().stream()
            .anyMatch((finding) -> severity == finding.severity() && finding.concernsRecords());
    }

    private void report()
    {
        if (isJson)
        {
            out().println(Json.of(new Report(isRepaired, isTruncation(), rebuilds, truncated, verdict)));
            return;
        }

        for (final Rebuild rebuild : rebuilds)
        {
            line(isChanged ? "rebuilt" : "would rebuild", rebuild.file() + " as " + rebuild.content());
            line("  fault", rebuild.fault());
            if (0 != rebuild.lost())
            {
                line("  lost", (rebuild.lost() < 0 ? "an unknown number of records" :
                    Text.count(rebuild.lost(), "record")) + " at the beginning");
            }
        }
        if (null != verdict)
        {
            verdict.findings().forEach(this::print);
        }
        if (isTruncation())
        {
            printTruncation();
        }
        out().println(Text.folded(conclusion(), 0));
    }

    private void printTruncation()
    {
        final boolean isDone = !truncated.isEmpty();
        final long last = verdict.lastSequence();
        final boolean isAnyLost = verdict.lastReadSequence() > last;
        line(isDone ? "kept" : "would keep", Text.records(verdict.firstSequence(), last));
        line(isDone ? "lost" : "would lose", isAnyLost ?
            Text.records(last + 1, verdict.lastReadSequence()) + ", and any that follow" :
            "everything after that; it contains no record that can be read");
        line(isDone ? "truncated" : "truncation", "at position " + Text.number(verdict.endPosition()) +
            "; what follows stays in its files until the journal is opened for writing, which deletes whole segments");
        truncated.forEach((range) -> line("  left out", range.file() + ", offsets " + Text.number(range.from()) +
            " to " + Text.number(range.to())));
        if (!isDone && isAnyLost)
        {
            line("instead", "journal salvage copies all records that can be read, also those after the damage, into " +
                "a new journal");
        }
    }

    private String conclusion()
    {
        if (isRepaired)
        {
            return "Repaired: the journal opens.";
        }
        if (null == verdict || isTruncation())
        {
            final boolean isLoss = null != verdict || isBeginningLost();
            return (null == verdict ? "Other damage can be detected only after that. " : "") + (isApplied ?
                "Not repaired: durable records would be lost. Restore a backup, or, if there is none, add " +
                    "--accept-loss." :
                "Nothing was changed. Copy the directory, then add --apply" + (isLoss ? " --accept-loss." : "."));
        }
        if (verdict.areRecordsWhole())
        {
            return (verdict.isDamaged() ? "The records need no repair; what is unusable is listed above." :
                "Nothing to repair.") +
                (verdict.tailLength() > 0 ? " Opening the journal leaves the torn tail out." : "");
        }

        return has(Severity.NEWER_FORMAT) ?
            "Not repaired: a newer version of the library wrote this. Use that version." :
            verdict.findings().stream().anyMatch(Finding::isStrayFile) ?
                "Not repaired: move out of the directory what is not a file of this journal, then try again." :
                "Cannot be repaired: restore it from a backup, or copy what can be read with journal salvage.";
    }

    private void line(final String name, final String text)
    {
        Text.line(out(), name, Text.harmless(text));
    }
}
