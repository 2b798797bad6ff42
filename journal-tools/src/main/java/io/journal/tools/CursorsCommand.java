package io.journal.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalLockedException;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "cursors",
    header = "Lists the cursors of a journal's consumers, or deletes one.",
    description = {
        "",
        "A cursor is the saved position of a consumer: the last record it is done with. Listing takes no lock and " +
            "changes nothing, so it may run beside a writer.",
        "",
        "--delete removes a cursor: it no longer holds back retention, and its consumer begins " +
            "again at the oldest record. This cannot be undone. The cursors of a journal in use are deleted by its " +
            "own application." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:listed or deleted",
        "1:the journal is damaged; nothing was deleted",
        "2:there is no such cursor, or the command line is wrong; nothing was deleted",
        "3:no journal here, or one of a newer format",
        "4:a writer has the journal open; nothing was deleted",
        "5:the files could not be read or written" })
final class CursorsCommand implements Callable<Integer>
{
    @Mixin
    private JournalOptions options;

    @Option(
        names = "--delete",
        paramLabel = "NAME",
        description = "Delete this cursor, for good. Opens the journal for writing.")
    private String deleted;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        final Path journal = options.journal();
        final PrintWriter out = spec.commandLine().getOut();
        if (null == deleted)
        {
            list(out, journal);
        }
        else
        {
            delete(journal);
            out.println(options.isJson() ?
                Json.line(Json.object().put("journal", journal.toString()).put("deleted", deleted)) :
                "Deleted the cursor " + deleted + ". Its consumer begins again at the oldest record.");
        }

        return ExitCode.OK;
    }

    private void list(final PrintWriter out, final Path journal)
    {
        final List<JournalCursor.Saved> cursors;
        try (ReadOnlyJournal open = options.openReadOnly())
        {
            cursors = open.cursors();
        }

        if (options.isJson())
        {
            final ObjectNode object = Json.object().put("journal", journal.toString());
            Sample.write(object, cursors);
            out.println(Json.line(object));
        }
        else if (cursors.isEmpty())
        {
            out.println("No cursors.");
        }
        else
        {
            Sample.print(out, cursors);
        }
    }

    private void delete(final Path journal)
    {
        // Before a writer is opened, which begins a term.
        final List<String> names;
        try (ReadOnlyJournal open = options.openReadOnly())
        {
            names = open.cursors().stream().map(JournalCursor.Saved::name).toList();
        }
        if (!names.contains(deleted))
        {
            throw new CommandException(ExitCode.USAGE, "no such cursor: " + Text.harmless(deleted) + "; " +
                (names.isEmpty() ? "there are none" : "there are: " + String.join(", ", names)));
        }

        try (Journal open = Writing.builder(journal).openExisting())
        {
            open.deleteCursor(deleted);
        }
        catch (final JournalLockedException ex)
        {
            throw new CommandException(ExitCode.LOCKED, ex.getMessage() +
                "; the cursors of a journal in use are deleted by its own application");
        }
    }
}
