package io.journal.tools;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.Verdict;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "verify",
    header = "Reads every frame of every segment, and every snapshot, and reports what is damaged.",
    description = {
        "",
        "Opening a journal checks only its newest part; this command checks all of it: each checksum, each " +
            "sequence, whether all segments are there, whether one of them or the control file is an older copy, and " +
            "whether everything up to the durable watermark and to each cursor is still there. Then it checks the " +
            "snapshots: an unusable one harms no record. Changes nothing and takes no lock, so it may run beside a " +
            "writer.",
        "",
        "A torn tail is no damage: a crash leaves it, and the next opening leaves it out of the log. A note is no " +
            "damage either." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:everything up to the durable watermark is intact, and all snapshots are usable",
        "1:something is damaged or missing, possibly only a snapshot",
        "2:the command line is wrong",
        "3:no journal here, or something of a newer format in it",
        "5:the files could not be read, or the output not written" })
final class VerifyCommand implements Callable<Integer>
{
    @Mixin
    private JournalOptions options;

    @Option(names = "--threads", paramLabel = "N", description = "Segments to read in parallel (default: one per " +
        "processor, at most 16).")
    private int threads;

    @Mixin
    private Progress.Options progress;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        if (threads < 0)
        {
            throw new CommandException(ExitCode.USAGE, "--threads takes a number of 1 or more, or 0 for the default");
        }

        final Verification verification =
            Verification.of(options.journal(), threads, progress.console(options));
        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            out.println(Json.line(json(verification)));
        }
        else
        {
            print(out, verification);
        }

        return verification.exitCode();
    }

    private static ObjectNode json(final Verification verification)
    {
        final Verdict verdict = verification.verdict();
        final ObjectNode object = Json.object()
            .put("journal", verification.path().toString())
            .put("isDamaged", verdict.isDamaged())
            .put("areRecordsWhole", verdict.areRecordsWhole())
            .put("unusableSnapshots", verification.unusableSnapshots())
            .put("isCleanlyClosed", verdict.isCleanlyClosed())
            .put("segments", verdict.segmentsInUse())
            .put("records", verdict.records())
            .put("firstSequence", verdict.firstSequence())
            .put("lastIntactSequence", verdict.lastSequence())
            .put("endPosition", verdict.endPosition())
            .put("forcedPosition", verdict.forcedPosition())
            .put("tailLength", verdict.tailLength());
        Findings.write(object, verdict, verification.path());
        return object;
    }

    private static void print(final PrintWriter out, final Verification verification)
    {
        final Verdict verdict = verification.verdict();
        Findings.print(out, verdict, verification.path());
        final String read = Text.count(verdict.segmentsInUse(), "segment") + " and " +
            Text.count(verdict.records(), "record") + " read: ";
        if (!verdict.isDamaged())
        {
            final boolean isNoted = verdict.findings().stream().anyMatch((it) -> Severity.NOTE == it.severity());
            out.println(Text.folded(read + (isNoted ? "the records are intact" : "all intact") +
                (verdict.isCleanlyClosed() ? ", and the journal was closed." :
                    "; the journal was not closed, is in use, or is a backup."),
                0));
        }
        else if (verdict.areRecordsWhole())
        {
            out.println(Text.folded(read + "the records are intact; " + beside(verification) + ".", 0));
        }
        else
        {
            printDamaged(out, verification, read);
        }
    }

    /**
     * What is wrong besides the records.
     */
    private static String beside(final Verification verification)
    {
        return verification.verdict().findings().stream().filter(Finding::isDamage)
            .map((finding) -> finding.place().file() + " is unusable").collect(Collectors.joining(", "));
    }

    private static void printDamaged(final PrintWriter out, final Verification verification, final String read)
    {
        final Verdict verdict = verification.verdict();
        final long first = verdict.firstSequence();
        final boolean isUnreadable = ExitCode.FAILED == verification.exitCode();
        out.println(Text.folded(
            read + (isUnreadable ? "not all could be read" : "the journal is damaged") +
                ". Intact from the beginning: " +
                (verdict.lastSequence() < first ? "no record." : Findings.range(first, verdict.lastSequence()) + "."),
            0));
        if (isUnreadable)
        {
            out.println(Text.folded("What could not be read may be intact. If the device is failing, copy what can " +
                "be read of the directory to another one, and continue with the copy.", 0));
            return;
        }
        out.println(verification.isOfNewerFormat() ? "Read it with a newer version of the library." :
            "Restore it from a backup. Without one, journal repair shows what can be kept.");
    }
}
