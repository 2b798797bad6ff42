// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalLockedException;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "backup",
    header = "Copies a journal to another directory, even while it is in use, and verifies the copy.",
    description = {
        "",
        "Opens the journal for writing, so recovery from a crash is completed first. If the journal is in use, " +
            "copies the records that were durable when the command began, and changes nothing in it; its " +
            "application can back up all records that were appended. A plain copy of the files of a journal in use " +
            "is no backup.",
        "",
        "The target appears once the copy is complete and durable. Until then it is in a directory beside the " +
            "target, with .unfinished-backup appended to its name. If a crash leaves that directory, the " +
            "next backup deletes it." })
final class BackupCommand extends JournalCommand
{
    @Parameters(index = "1", paramLabel = "TARGET", description = "Directory of the copy, which must not exist.")
    private Path target;

    @Override
    public Integer call()
    {
        final long last = backup();
        final long first;
        try (ReadOnlyJournal copy = Journal.openReadOnly(target))
        {
            first = copy.firstSequence();
        }
        print(Json.object().put("target", target.toString()).put("firstSequence", first).put("lastSequence", last),
            "Copied to " + target + ": " + Text.records(first, last) + ", each verified.");
        return ExitCode.OK;
    }

    private long backup()
    {
        try (Journal journal = openExisting())
        {
            return journal.backup(target);
        }
        catch (final JournalLockedException ignore)
        {
            // The journal is in use, or another backup to the same target is in progress. In the second case the
            // attempt below throws as well.
        }
        try (ReadOnlyJournal journal = openReadOnly())
        {
            return journal.backup(target);
        }
    }
}
