package io.journal.tools;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.JournalVerifier.Verdict;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "verify",
    header = "Reads every frame of every segment and tells what is damaged.",
    description = {
        "",
        "Opening a journal looks at its newest part only; this looks at all of it: each checksum, each sequence, " +
            "whether all segments are there, and whether all that was attested as forced is still there. Changes " +
            "nothing and asks for no lock, so it may run beside a writer.",
        "",
        "An unfinished end is no damage: it is what a crash leaves, and the next opening puts it aside." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:all that was forced is there and whole",
        "1:something is damaged or missing",
        "3:no journal here, or something of a newer format in it",
        "5:the files could not be read" })
final class VerifyCommand implements Callable<Integer>
{
    @Mixin
    private JournalOptions options;

    @Option(names = "--threads", paramLabel = "N", description = "Read so many segments at a time (default: one per " +
        "processor, at most 16).")
    private int threads;

    @Option(names = "--quiet", description = "Draw no progress.")
    private boolean isQuiet;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        if (threads < 0)
        {
            throw new Refusal(ExitCode.USAGE, "--threads takes a number of 1 or more, or 0 for the default");
        }

        final boolean isDrawn = !isQuiet && !options.isJson() && null != System.console();
        final Verification verification =
            Verification.of(options.journal(), threads, isDrawn ? System.err : null);
        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            out.println(Json.line(json(verification)));
        }
        else
        {
            print(out, verification);
        }

        return !verification.verdict().isDamaged() ? ExitCode.OK :
            verification.isOfNewerFormat() ? ExitCode.NO_JOURNAL :
                verification.isUnreadable() ? ExitCode.FAILED : ExitCode.DAMAGED;
    }

    private static ObjectNode json(final Verification verification)
    {
        final Verdict verdict = verification.verdict();
        final ObjectNode object = Json.object()
            .put("journal", verification.journal().path().toString())
            .put("isDamaged", verdict.isDamaged())
            .put("isCleanlyClosed", verdict.isCleanlyClosed())
            .put("segments", verification.checks().size())
            .put("records", verdict.records())
            .put("firstSequence", verification.journal().firstSequence())
            .put("lastIntactSequence", verdict.lastSequence())
            .put("endPosition", verdict.endPosition())
            .put("forcedPosition", verdict.forcedPosition())
            .put("tailLength", verdict.tailLength());
        Findings.write(object, verdict);
        return object;
    }

    private static void print(final PrintWriter out, final Verification verification)
    {
        final Verdict verdict = verification.verdict();
        Findings.print(out, verdict);
        final String read = Text.count(verification.checks().size(), "segment") + " and " +
            Text.count(verdict.records(), "record") + " read: ";
        final long first = verification.journal().firstSequence();
        if (!verdict.isDamaged())
        {
            out.println(Text.folded(read + "all is whole" + (verdict.isCleanlyClosed() ?
                ", and the journal was closed." : "; the journal was not closed, or is in use."), 0));
            return;
        }

        out.println(Text.folded(
            read + (verification.isUnreadable() ? "not all could be read" : "the journal is damaged") +
                ". Whole from its beginning: " +
                (verdict.lastSequence() < first ? "no record." : Findings.range(first, verdict.lastSequence()) + "."),
            0));
        if (verification.isUnreadable())
        {
            out.println(Text.folded("What could not be read may be whole. If it is the device that fails, copy what " +
                "can be read of the directory to another one, and go on with the copy.", 0));
            return;
        }
        out.println(verification.isOfNewerFormat() ? "Read it with a newer version of the library." :
            "Restore it from a backup. Without one: journal repair tells what can be kept.");
    }
}
