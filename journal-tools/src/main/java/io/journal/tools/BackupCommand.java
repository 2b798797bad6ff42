package io.journal.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.journal.Journal;
import io.journal.JournalLockedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "backup",
    header = "Copies a journal that is not in use to another directory and verifies the copy.",
    description = {
        "",
        "Opens the journal for writing, so recovery from a crash is completed first. A journal in use is backed up " +
            "by its own application. A plain copy of the files of a journal in use is no backup.",
        "",
        "The target appears once the copy is complete and durable. Until then it is in a directory beside the " +
            "target, with .unfinished-backup appended to its name. The next backup deletes what a crash left there." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:the copy is complete and durable",
        "1:the journal is damaged; nothing of the copy is left",
        "2:the target exists or lies within the journal, or the command line is wrong",
        "3:no journal here, or one of a newer format",
        "4:a writer has the journal open",
        "5:an I/O error, or the disk is full; nothing of the copy is left" })
final class BackupCommand implements Callable<Integer>
{
    @Mixin
    private JournalOptions options;

    @Parameters(index = "1", paramLabel = "TARGET", description = "Directory of the copy, which must not exist.")
    private Path target;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        final long first;
        final long last;
        try (Journal journal = Writing.builder(options.journal()).open())
        {
            first = journal.firstSequence();
            last = journal.backup(target);
        }
        catch (final JournalLockedException ex)
        {
            throw new CommandException(ExitCode.LOCKED, ex.getMessage() +
                "; a journal in use is backed up by its own application");
        }

        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            out.println(Json.line(Json.object()
                .put("target", target.toString()).put("firstSequence", first).put("lastSequence", last)));
        }
        else
        {
            out.println("Copied to " + target + ": " + (last < first ? "no record" : Findings.range(first, last)) +
                ", each verified.");
        }

        return ExitCode.OK;
    }
}
