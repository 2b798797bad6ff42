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
import io.journal.store.Backend;
import io.journal.verify.JournalRepair;
import io.journal.verify.JournalRepair.Rebuild;
import io.journal.verify.JournalVerifier;
import io.journal.verify.JournalVerifier.SegmentCheck;
import io.journal.verify.JournalVerifier.Verdict;
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
        "If journal.meta or the header of a segment is damaged, it is first rebuilt from all other files; other " +
            "damage can be detected only after that.",
        "",
        "Sequences have no gaps, so a journal cannot continue after a hole: it is truncated at the first damage. " +
            "What is truncated is moved or copied into the journal's quarantine directory; nothing is deleted. Files " +
            "that are named like segments but are none are moved there too, and so is a file in place of the cursors " +
            "directory. Copy the directory first.",
        "",
        "An unusable cursor is not repaired: journal cursors --delete removes it.",
        "",
        "A torn tail needs no repair: opening the journal moves it into quarantine." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:repaired, or nothing to repair except cursors",
        "1:damaged and not repaired: --apply or --accept-loss is missing, or no record could be kept",
        "3:no journal here, or one of a newer format",
        "4:a writer has the journal open",
        "5:the files could not be read or written; nothing of the journal is lost" })
final class RepairCommand implements Callable<Integer>
{
    private static final String NOT_DONE = "Not repaired: durable records would be lost. Restore a backup, " +
        "or," + System.lineSeparator() + "if there is none, say --apply --accept-loss.";

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
            return rebuilds.isEmpty() ? tell(plan(path), rebuilds, List.of(), false) : tell(rebuilds);
        }

        final Plan plan;
        final List<Rebuild> rebuilds;
        final List<String> putAside = new ArrayList<>();
        final boolean isDone;
        try (JournalRepair repair = JournalRepair.open(path))
        {
            // Again, now that the lock excludes writers.
            rebuilds = JournalRepair.rebuildable(path);
            if (isLoss(rebuilds) && !isLossAccepted)
            {
                return tell(rebuilds);
            }
            putAside.addAll(repair.rebuild());
            plan = plan(path);
            final boolean isPossible = plan.isRepairable && !isRefused(plan);
            if (isPossible)
            {
                plan.foreign.forEach((name) -> putAside.add(repair.putAside(name)));
                if (plan.isCut)
                {
                    putAside.addAll(repair.cut(plan.endPosition, plan.lastSequence + 1));
                }
            }
            isDone = isPossible && !(plan.isNothing() && rebuilds.isEmpty());
        }
        if (isDone)
        {
            complete(path);
        }

        return tell(plan, rebuilds, putAside, isDone);
    }

    /**
     * Refuses files without read permission: they may be intact, and must not be rebuilt or truncated.
     */
    private static void checkReadable(final Path path) throws IOException
    {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "*.{journal,meta,mark}"))
        {
            for (final Path file : files)
            {
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !Files.isReadable(file))
                {
                    throw new Refusal(
                        ExitCode.FAILED, "no permission to read: " + file + "; it may be whole: nothing was changed");
                }
            }
        }
    }

    /** What is to be repaired, and what is lost by it. */
    private static final class Plan
    {
        private final Verification verification;
        private final List<String> foreign;
        private final boolean isCut;
        private final boolean isRepairable;
        private final long firstSequence;
        private final long lastSequence;
        private final long lastSequenceLost;
        private final long endPosition;

        Plan(final Verification verification)
        {
            if (verification.isUnreadable())
            {
                throw new Refusal(ExitCode.FAILED, "some files could not be read, and may be whole: nothing " +
                    "was changed; journal verify lists them: fix their rights or the device, or repair a copy on " +
                    "another one");
            }
            this.verification = verification;
            final JournalVerifier journal = verification.journal();
            final Verdict verdict = verification.verdict();
            foreign = new ArrayList<>(journal.foreign());
            // A file in place of the cursors directory.
            verdict.findings().stream()
                .filter((finding) -> JournalVerifier.Severity.UNUSABLE == finding.severity() &&
                    finding.isOfCursors() && finding.cursor().isEmpty())
                .forEach((finding) -> foreign.add(finding.file()));
            isCut = verdict.isDamaged() && verdict.findings().stream().anyMatch(
                (finding) -> JournalVerifier.Severity.DAMAGE == finding.severity() && finding.position() >= 0);
            firstSequence = journal.firstSequence();
            lastSequence = verdict.lastSequence();
            lastSequenceLost = verification.checks().stream()
                .mapToLong(SegmentCheck::nextSequence).max().orElse(0) - 1;
            endPosition = verdict.endPosition();
            final boolean isFirstLost = journal.ordinals().isEmpty() ||
                endPosition < journal.ordinals().get(0) * journal.segmentLength() + 1;
            // Damage without a position cannot be removed by truncation.
            final long unplaced = verdict.findings().stream()
                .filter((finding) -> JournalVerifier.Severity.DAMAGE == finding.severity() && finding.position() < 0)
                .count();
            isRepairable = !verification.isOfNewerFormat() && unplaced == journal.foreign().size() &&
                !(isCut && (isFirstLost || lastSequence + 1 < firstSequence));
        }

        boolean isNothing()
        {
            return !isCut && foreign.isEmpty();
        }
    }

    private static Plan plan(final Path path)
    {
        return new Plan(Verification.of(path, 0, null));
    }

    private static boolean isLoss(final List<Rebuild> rebuilds)
    {
        return rebuilds.stream().anyMatch((rebuild) -> 0 != rebuild.lost());
    }

    private boolean isRefused(final Plan plan)
    {
        return plan.isCut && !isLossAccepted;
    }

    /**
     * Opens the journal once: that completes the truncation and proves that the journal opens.
     */
    private static void complete(final Path path)
    {
        Journal.builder(path).backend(Backend.FILE_CHANNEL).backgroundThread(false).open().close();
    }

    /**
     * Reports the files that have to be rebuilt before other damage can be detected.
     */
    private int tell(final List<Rebuild> rebuilds)
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
            out.println(
                isApplied ? NOT_DONE : "Nothing was changed. Copy the directory, then say --apply" +
                    (isLoss(rebuilds) ? " --accept-loss" : "") + ".");
        }

        return ExitCode.DAMAGED;
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

    private static void print(final PrintWriter out, final List<Rebuild> rebuilds, final boolean isDone)
    {
        for (final Rebuild rebuild : rebuilds)
        {
            Text.line(out, isDone ? "rebuilt" : "would", (isDone ? "" : "rebuild ") + Text.harmless(rebuild.file()) +
                ", as " + Text.harmless(rebuild.content()));
            Text.line(out, "  damaged", Text.harmless(rebuild.fault()));
            if (0 != rebuild.lost())
            {
                Text.line(out, "  given up", (rebuild.lost() < 0 ? "an unknown number of records" :
                    Text.count(rebuild.lost(), "record")) + " at the beginning");
            }
        }
    }

    private int tell(
        final Plan plan, final List<Rebuild> rebuilds, final List<String> putAside, final boolean isDone)
    {
        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            final ObjectNode object = Json.object()
                .put("isDamaged", plan.verification.verdict().isDamaged())
                .put("isRepairable", plan.isRepairable)
                .put("isRepaired", isDone)
                .put("isCut", plan.isCut)
                .put("endPosition", plan.endPosition)
                .put("lastSequenceKept", plan.lastSequence);
            if (plan.isCut && plan.lastSequenceLost > plan.lastSequence)
            {
                object.put("firstSequenceLost", plan.lastSequence + 1).put("lastSequenceLost", plan.lastSequenceLost);
            }
            plan.foreign.forEach(object.putArray("foreign")::add);
            write(object, rebuilds);
            putAside.forEach(object.putArray("putAside")::add);
            Findings.write(object, plan.verification.verdict(), plan.verification.journal().path());
            out.println(Json.line(object));
        }
        else
        {
            print(out, rebuilds, true);
            Findings.print(out, plan.verification.verdict(), plan.verification.journal().path());
            print(out, plan, putAside, isDone);
        }

        return plan.isNothing() && plan.isRepairable || isDone ? ExitCode.OK :
            plan.verification.isOfNewerFormat() ? ExitCode.NO_JOURNAL : ExitCode.DAMAGED;
    }

    private void print(
        final PrintWriter out, final Plan plan, final List<String> putAside, final boolean isDone)
    {
        if (plan.verification.isOfNewerFormat())
        {
            out.println("Not repaired: a newer version of the library wrote this. Use that version.");
            return;
        }
        if (plan.isNothing() && plan.isRepairable && !isDone)
        {
            out.println((plan.verification.verdict().isDamaged() ?
                "The records need no repair; what is unusable is listed above." : "Nothing to repair.") +
                (plan.verification.verdict().tailLength() > 0 ?
                    " Opening the journal moves the torn tail into quarantine." : ""));
            return;
        }
        if (!plan.isRepairable)
        {
            out.println("Cannot be repaired: no record would be left. Restore it from a backup.");
            return;
        }

        plan.foreign.forEach((name) -> Text.line(
            out, isDone ? "moved" : "would move", Text.harmless(name) + " into quarantine"));
        if (plan.isCut)
        {
            Text.line(out, isDone ? "kept" : "would keep", plan.lastSequence < plan.firstSequence ?
                "no record" : Findings.range(plan.firstSequence, plan.lastSequence));
            Text.line(out, isDone ? "given up" : "and give up", plan.lastSequenceLost <= plan.lastSequence ?
                "all that follows; no record in it is known" :
                Findings.range(plan.lastSequence + 1, plan.lastSequenceLost) + ", and what may follow");
            Text.line(out, isDone ? "truncated" : "by a cut", "at position " + Text.number(plan.endPosition) +
                "; what follows goes into quarantine");
        }
        if (isDone)
        {
            putAside.forEach((name) -> Text.line(out, "quarantined", Text.harmless(name)));
            out.println("Repaired: the journal opens.");
        }
        else if (isApplied)
        {
            out.println(NOT_DONE);
        }
        else
        {
            out.println("Nothing was changed. Copy the directory, then say --apply" +
                (plan.isCut ? " --accept-loss" : "") + ".");
        }
    }
}
