// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.journal.internal.streams.IndexCheck;
import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;
import picocli.CommandLine.Command;

@Command(
    name = "verify",
    header = "Reads every frame of every segment, and every snapshot, and reports what is damaged.",
    description = {
        "",
        "Opening a journal checks only its newest part; this command checks all of it: each checksum, each " +
            "sequence, whether all segments are there, whether one of them or the control file is an older copy, and " +
            "whether everything up to the durable watermark and to each cursor is still there. Then it checks the " +
            "snapshots, and compares the index files of an event store with its events: unusable ones do not affect " +
            "the records. Changes nothing and takes no lock, so it may run beside a writer.",
        "",
        "A torn tail is no damage: a crash leaves it, and the next opening removes it from the log. A note is no " +
            "damage either." })
final class VerifyCommand extends JournalCommand
{
    private int percent;

    @Override
    public Integer call()
    {
        final Verdict verdict = withIndexFiles(JournalVerifier.verify(path, this::draw));
        final int exitCode = exitCode(verdict);
        if (!isJson)
        {
            verdict.findings().forEach(this::print);
        }
        print(
            Json.of(verdict).put("isDamaged", verdict.isDamaged()).put("areRecordsWhole", verdict.areRecordsWhole())
                .put("unusableSnapshots", verdict.findings().stream().filter(Finding::isOfSnapshots).count()),
            Text.count(verdict.segments(), "segment") + " and " + Text.count(verdict.records(), "record") + " read: " +
                conclusion(verdict));
        if (!isJson && !verdict.areRecordsWhole())
        {
            out().println(Text.folded(switch (exitCode)
            {
                case ExitCode.FAILED -> "What could not be read may be intact. If the device is failing, copy what " +
                    "can be read of the directory to another one, and continue with the copy.";
                case ExitCode.NO_JOURNAL -> "Read it with a newer version of the library.";
                default -> "Restore it from a backup. Without one, journal repair shows what can be kept.";
            }, 0));
        }

        return exitCode;
    }

    /** Adds the index files of an event store, if there are any and the records can be read. */
    private Verdict withIndexFiles(final Verdict verdict)
    {
        if (!verdict.areRecordsWhole())
        {
            return verdict;
        }
        final List<Finding> findings = new ArrayList<>(verdict.findings());
        IndexCheck.check(path).forEach((problem) -> findings.add(new Finding(
            Severity.UNUSABLE, new Finding.Place(problem.file(), 0, -1, -1), -1, "the index of its events",
            problem.reason(), "The event store does not use this index file. Its next opening makes it again from " +
                "the records; keys of pruned events in it are lost.")));
        return new Verdict(
            findings, verdict.segments(), verdict.records(), verdict.firstSequence(), verdict.lastSequence(),
            verdict.lastReadSequence(), verdict.firstPosition(), verdict.endPosition(), verdict.forcedPosition(),
            verdict.tailLength(), verdict.isCleanlyClosed());
    }

    /** Returns the exit code of a verdict. Damaged snapshots count only if all records are whole. */
    static int exitCode(final Verdict verdict)
    {
        final List<Severity> severities = verdict.findings().stream()
            .filter((finding) -> finding.isDamage() && (verdict.areRecordsWhole() || finding.concernsRecords()))
            .map(Finding::severity).toList();
        return severities.isEmpty() ? ExitCode.OK :
            severities.contains(Severity.NEWER_FORMAT) ? ExitCode.NO_JOURNAL :
                severities.contains(Severity.UNREADABLE) ? ExitCode.FAILED : ExitCode.DAMAGED;
    }

    /** Draws the progress on a terminal. */
    private synchronized void draw(final double fraction)
    {
        final int now = (int)(100 * fraction);
        if (now > percent && !isJson && null != System.console())
        {
            percent = now;
            System.err.print("\rreading " + now + " %" + (100 == now ? "\n" : ""));
        }
    }

    private static String conclusion(final Verdict verdict)
    {
        if (!verdict.isDamaged())
        {
            final boolean isNoted = verdict.findings().stream().anyMatch((it) -> Severity.NOTE == it.severity());
            return (isNoted ? "the records are intact" : "all intact") + (verdict.isCleanlyClosed() ?
                ", and the journal was closed." : "; the journal was not closed, is in use, or is a backup.");
        }
        if (verdict.areRecordsWhole())
        {
            return "the records are intact; " + verdict.findings().stream().filter(Finding::isDamage)
                .map((finding) -> finding.place().file() + " is unusable").collect(Collectors.joining(", ")) + ".";
        }

        return (ExitCode.FAILED == exitCode(verdict) ? "not all could be read" : "the journal is damaged") +
            ". Intact from the beginning: " + Text.records(verdict.firstSequence(), verdict.lastSequence()) + ".";
    }
}
