package io.journal.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.Journal;
import io.journal.verify.JournalRepair;
import io.journal.verify.JournalRepair.Range;
import io.journal.verify.JournalRepair.Rebuild;
import io.journal.verify.Verdict;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "repair",
    header = "Makes a damaged journal open again. Records after the damage are lost.",
    description = {
        "",
        "Only shows what it would do, unless --apply is given. Restoring a backup is always better.",
        "",
        "If journal.control or the header of a segment is damaged, it is first rebuilt from all other files; other " +
            "damage can be detected only after that. With a lost journal.control the cursors are lost, and a " +
            "truncation after which nothing was appended.",
        "",
        "Sequences have no gaps, so a journal cannot continue after a hole: it is truncated at the first damage. " +
            "What is truncated stays in its files, where the journal leaves it out; whole segments of it are deleted " +
            "when the journal is next opened for writing. Copy the directory first.",
        "",
        "A file that is named like a segment but is none is to be moved out of the directory first.",
        "",
        "A torn tail needs no repair: opening the journal leaves it out, too." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:repaired, or nothing to repair",
        "1:damaged and not repaired: --apply or --accept-loss is missing, or no record could be kept",
        "3:no journal here, or one of a newer format",
        "4:a writer has the journal open",
        "5:the files could not be read or written; nothing of the journal is lost" })
final class RepairCommand implements Callable<Integer>
{
    private static final String NOT_DONE = "Not repaired: durable records would be lost. Restore a backup, or, if " +
        "there is none, add --accept-loss.";

    @Mixin
    private JournalOptions options;

    @Option(names = "--apply", description = "Repair the journal. Takes its lock.")
    private boolean isApplied;

    @Option(
        names = "--accept-loss",
        description = "Accept the loss of durable records. --apply asks for it if the repair loses any.")
    private boolean isLossAccepted;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException
    {
        final Path path = options.journal();
        checkReadable(path);
        if (!isApplied)
        {
            final List<Rebuild> rebuilds = JournalRepair.rebuildable(path);
            return rebuilds.isEmpty() ? report(plan(path, false), rebuilds, List.of(), false) : report(rebuilds);
        }

        final RepairPlan plan;
        final List<Rebuild> rebuilds;
        final List<Range> truncated = new ArrayList<>();
        final boolean isDone;
        try (JournalRepair repair = JournalRepair.open(path))
        {
            // Again, now that the lock excludes writers.
            final List<Rebuild> planned = JournalRepair.rebuildable(path);
            if (isLoss(planned) && !isLossAccepted)
            {
                return report(planned);
            }
            rebuilds = repair.rebuild();
            plan = planAfter(path, rebuilds);
            final boolean isAllowed = plan.isRepairable && (!plan.isTruncation || isLossAccepted);
            if (isAllowed && plan.isTruncation)
            {
                truncated.addAll(repair.truncate(plan.endPosition, plan.lastSequence + 1));
            }
            isDone = isAllowed && (plan.isTruncation || !rebuilds.isEmpty());
        }
        if (isDone)
        {
            complete(path, plan, rebuilds, truncated);
        }

        return report(plan, rebuilds, truncated, isDone);
    }

    /**
     * Rejects files without read permission: they may be intact, and must not be rebuilt or truncated.
     */
    private static void checkReadable(final Path path) throws IOException
    {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*.{journal,control}"))
        {
            for (final Path file : files)
            {
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !Files.isReadable(file))
                {
                    throw new CommandException(
                        ExitCode.FAILED, "no permission to read: " + file + "; it may be intact: nothing was changed");
                }
            }
        }
    }

    private static RepairPlan plan(final Path path, final boolean isRebuilt)
    {
        return new RepairPlan(Verification.of(path, 0, null), isRebuilt);
    }

    /**
     * Plans what follows a rebuild. If that fails, the rebuild is reported before the failure.
     */
    private RepairPlan planAfter(final Path path, final List<Rebuild> rebuilds)
    {
        try
        {
            return plan(path, !rebuilds.isEmpty());
        }
        catch (final RuntimeException ex)
        {
            if (!rebuilds.isEmpty())
            {
                reportFailed(null, rebuilds, List.of());
            }
            throw ex;
        }
    }

    private static boolean isLoss(final List<Rebuild> rebuilds)
    {
        return rebuilds.stream().anyMatch((rebuild) -> 0 != rebuild.lost());
    }

    /**
     * Opens the journal for reading, which proves that it opens, and deletes nothing yet. If that fails, what was done
     * is reported before the failure.
     */
    private void complete(
        final Path path, final RepairPlan plan, final List<Rebuild> rebuilds, final List<Range> truncated)
    {
        try
        {
            Journal.openReadOnly(path).close();
        }
        catch (final RuntimeException ex)
        {
            reportFailed(plan, rebuilds, truncated);
            throw ex;
        }
    }

    /**
     * Reports the files that have to be rebuilt before other damage can be detected.
     */
    private int report(final List<Rebuild> rebuilds)
    {
        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            final ObjectNode object = Json.object()
                .put("isDamaged", true)
                .put("isRepairable", true)
                .put("isRepaired", false);
            write(object, rebuilds);
            out.println(Json.line(object));
        }
        else
        {
            print(out, rebuilds, false);
            out.println("Other damage can be detected only after that.");
            printNotDone(out, isLoss(rebuilds));
        }

        return ExitCode.DAMAGED;
    }

    /**
     * Reports a repair that failed after it had changed something.
     *
     * @param plan null if only files were rebuilt.
     */
    private void reportFailed(
        final RepairPlan plan, final List<Rebuild> rebuilds, final List<Range> truncated)
    {
        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            final ObjectNode object = Json.object().put("isDamaged", true).put("isRepaired", false);
            if (null != plan)
            {
                write(object, plan);
            }
            write(object, rebuilds);
            writeRanges(object, truncated);
            out.println(Json.line(object));
        }
        else
        {
            print(out, rebuilds, true);
            if (null != plan)
            {
                printSteps(out, plan, truncated, true);
            }
        }
    }

    private static void write(final ObjectNode object, final RepairPlan plan)
    {
        object.put("isTruncation", plan.isTruncation)
            .put("endPosition", plan.endPosition)
            .put("lastSequenceKept", plan.lastSequence);
        if (plan.isTruncation && plan.lastSequenceLost > plan.lastSequence)
        {
            object.put("firstSequenceLost", plan.lastSequence + 1).put("lastSequenceLost", plan.lastSequenceLost);
        }
        plan.strayFiles.forEach(object.putArray("strayFiles")::add);
    }

    private static void write(final ObjectNode object, final List<Rebuild> rebuilds)
    {
        final ArrayNode array = object.putArray("rebuilt");
        for (final Rebuild rebuild : rebuilds)
        {
            array.addObject()
                .put("file", rebuild.file())
                .put("fault", rebuild.fault())
                .put("content", rebuild.content())
                .put("lost", rebuild.lost());
        }
    }

    private static void writeRanges(final ObjectNode object, final List<Range> truncated)
    {
        final ArrayNode array = object.putArray("truncated");
        truncated.forEach((range) -> array.addObject()
            .put("file", range.file()).put("from", range.from()).put("to", range.to()));
    }

    private static void print(final PrintWriter out, final List<Rebuild> rebuilds, final boolean isDone)
    {
        for (final Rebuild rebuild : rebuilds)
        {
            Text.line(out, isDone ? "rebuilt" : "would rebuild", Text.harmless(rebuild.file()) + " as " +
                Text.harmless(rebuild.content()));
            Text.line(out, "  fault", Text.harmless(rebuild.fault()));
            if (0 != rebuild.lost())
            {
                Text.line(out, "  lost", (rebuild.lost() < 0 ? "an unknown number of records" :
                    Text.count(rebuild.lost(), "record")) + " at the beginning");
            }
        }
    }

    private int report(
        final RepairPlan plan, final List<Rebuild> rebuilds, final List<Range> truncated, final boolean isDone)
    {
        final PrintWriter out = spec.commandLine().getOut();
        final Verdict verdict = plan.verification.verdict();
        if (options.isJson())
        {
            final ObjectNode object = Json.object()
                .put("isDamaged", verdict.isDamaged())
                .put("isRepairable", plan.isRepairable)
                .put("isRepaired", isDone);
            write(object, plan);
            write(object, rebuilds);
            writeRanges(object, truncated);
            Findings.write(object, verdict, plan.verification.path());
            out.println(Json.line(object));
        }
        else
        {
            print(out, rebuilds, true);
            Findings.print(out, verdict, plan.verification.path());
            print(out, plan, truncated, isDone);
        }

        return !plan.isTruncation && plan.isRepairable || isDone ? ExitCode.OK :
            plan.verification.isOfNewerFormat() ? ExitCode.NO_JOURNAL : ExitCode.DAMAGED;
    }

    private void print(
        final PrintWriter out, final RepairPlan plan, final List<Range> truncated, final boolean isDone)
    {
        if (plan.verification.isOfNewerFormat())
        {
            out.println("Not repaired: a newer version of the library wrote this. Use that version.");
        }
        else if (!plan.strayFiles.isEmpty())
        {
            out.println("Not repaired: move out of the directory what is not a file of this journal, then try again.");
        }
        else if (!plan.isRepairable)
        {
            out.println("Cannot be repaired: restore it from a backup, or copy what can be read with journal salvage.");
        }
        else if (!plan.isTruncation && !isDone)
        {
            final Verdict verdict = plan.verification.verdict();
            out.println(Text.folded((verdict.isDamaged() ?
                "The records need no repair; what is unusable is listed above." : "Nothing to repair.") +
                (verdict.tailLength() > 0 ? " Opening the journal leaves the torn tail out." : ""), 0));
        }
        else
        {
            printSteps(out, plan, truncated, isDone);
            if (isDone)
            {
                out.println("Repaired: the journal opens.");
            }
            else
            {
                printNotDone(out, plan.isTruncation);
            }
        }
    }

    private static void printSteps(
        final PrintWriter out, final RepairPlan plan, final List<Range> truncated, final boolean isDone)
    {
        if (!plan.isTruncation)
        {
            return;
        }

        Text.line(out, isDone ? "kept" : "would keep", plan.lastSequence < plan.firstSequence ?
            "no record" : Findings.range(plan.firstSequence, plan.lastSequence));
        Text.line(out, isDone ? "lost" : "would lose", plan.lastSequenceLost <= plan.lastSequence ?
            "everything after that; it contains no record that can be read" :
            Findings.range(plan.lastSequence + 1, plan.lastSequenceLost) + ", and any that follow");
        Text.line(out, isDone ? "truncated" : "truncation", "at position " + Text.number(plan.endPosition) +
            "; what follows stays in its files until the journal is opened for writing, which deletes whole segments");
        truncated.forEach((range) -> Text.line(out, "  left out", Text.harmless(range.file()) + ", offsets " +
            Text.number(range.from()) + " to " + Text.number(range.to())));
        if (!isDone && plan.lastSequenceLost > plan.lastSequence)
        {
            Text.line(out, "instead", "journal salvage copies all records that can be read, also those after the " +
                "damage, into a new journal");
        }
    }

    private void printNotDone(final PrintWriter out, final boolean isLoss)
    {
        if (isApplied)
        {
            out.println(Text.folded(NOT_DONE, 0));
        }
        else
        {
            out.println("Nothing was changed. Copy the directory, then run:");
            out.println("  journal repair --apply " + (isLoss ? "--accept-loss " : "") +
                RepairHint.typed(options.journal()));
        }
    }
}
