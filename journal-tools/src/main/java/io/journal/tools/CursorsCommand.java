// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.util.List;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
            "own application." })
final class CursorsCommand extends JournalCommand
{
    @Option(
        names = "--delete",
        paramLabel = "NAME",
        description = "Delete this cursor, for good. Opens the journal for writing.")
    private String deleted;

    @Override
    public Integer call()
    {
        final List<JournalCursor.Saved> cursors;
        try (ReadOnlyJournal journal = openReadOnly())
        {
            cursors = journal.cursors();
        }

        if (null != deleted)
        {
            delete(cursors.stream().map(JournalCursor.Saved::name).toList());
            print(Json.object().put("deleted", deleted),
                "Deleted the cursor " + deleted + ". Its consumer begins again at the oldest record.");
        }
        else if (isJson || cursors.isEmpty())
        {
            print(json(cursors), "No cursors.");
        }
        else
        {
            cursors.forEach((cursor) -> Text.line(out(), "consumer", text(cursor)));
        }

        return ExitCode.OK;
    }

    static ObjectNode json(final List<JournalCursor.Saved> cursors)
    {
        final ObjectNode object = Json.object();
        final ArrayNode array = object.putArray("cursors");
        cursors.forEach((cursor) -> array.add(Json.of(cursor)));
        return object;
    }

    static String text(final JournalCursor.Saved cursor)
    {
        return cursor.name() + ": done with record " + Text.number(cursor.sequence()) + ", " +
            Text.number(cursor.lag()) + " behind";
    }

    // Deletes a cursor. Checks the name first, because opening the journal for writing begins a term.
    private void delete(final List<String> names)
    {
        if (!names.contains(deleted))
        {
            throw new CommandException(ExitCode.USAGE, "no such cursor: " + Text.harmless(deleted) + "; " +
                (names.isEmpty() ? "there are none" : "there are: " + String.join(", ", names)));
        }
        try (Journal journal = openExisting())
        {
            journal.deleteCursor(deleted);
        }
    }
}
