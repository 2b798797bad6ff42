package io.journal.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.journal.Journal;
import io.journal.JournalLockedException;
import io.journal.ReadOnlyJournal;
import io.journal.internal.manage.BackupTarget;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "backup",
    header = "Copies a journal, also one in use, to another directory and verifies the copy.",
    description = {
        "",
        "Opens the journal for writing, so recovery from a crash is completed first. Of a journal in use, copies " +
            "what was durable when the command began, and changes nothing; its application can back up all that " +
            "was appended. A plain copy of the files of a journal in use is no backup.",
        "",
        "The target appears once the copy is complete and durable. Until then it is in a directory beside the " +
            "target, with .unfinished-backup appended to its name. The next backup deletes what a crash left there." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:the copy is complete and durable",
        "1:the journal is damaged; nothing of the copy is left",
        "2:the target exists or lies within the journal, or the command line is wrong",
        "3:no journal here, or one of a newer format",
        "4:another backup to the target is in progress",
        "5:an I/O error, or the disk is full; nothing of the copy is left" })
final class BackupCommand implements Callable<Integer>
{
    @Mixin
    private JournalOptions options;

    @Mixin
    private Progress.Options progress;

    @Parameters(index = "1", paramLabel = "TARGET", description = "Directory of the copy, which must not exist.")
    private Path target;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        final Path journal = options.journal();
        final long[] range;
        final Progress drawn = Progress.ofCopy(
            progress.console(options), "copying", journal, BackupTarget.temporary(target.toAbsolutePath().normalize()));
        try
        {
            range = backup(journal);
        }
        finally
        {
            drawn.close();
        }
        final long first = range[0];
        final long last = range[1];
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

    private long[] backup(final Path path)
    {
        try (Journal journal = Writing.builder(path).openExisting())
        {
            return new long[]{ journal.firstSequence(), journal.backup(target) };
        }
        catch (final JournalLockedException ignore)
        {
            // In use, or another backup to the target: then the second try throws that as well.
        }

        try (ReadOnlyJournal journal = options.openReadOnly())
        {
            // First the copy: if records are pruned meanwhile, it begins later.
            final long last = journal.backup(target);
            try (ReadOnlyJournal copy = Journal.openReadOnly(target))
            {
                return new long[]{ copy.firstSequence(), last };
            }
        }
    }
}
