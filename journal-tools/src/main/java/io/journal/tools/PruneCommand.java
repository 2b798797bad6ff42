// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import io.journal.Journal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "prune",
    header = "Drops the old segments of a journal that is not in use.",
    description = {
        "",
        "Dropped records cannot be recovered. Only whole segments are dropped, so some records below the given " +
            "sequence may stay. Refused if a consumer's cursor still needs a record below it, unless " +
            "--ignore-cursors is given, or if the application's snapshots do, unless --ignore-snapshots is given. A " +
            "journal in use is pruned by its own application." })
final class PruneCommand extends JournalCommand
{
    @Option(
        names = "--before",
        required = true,
        paramLabel = "SEQUENCE",
        description = "The first record that is still needed.")
    private long sequence;

    @Option(names = "--ignore-cursors", description = "Also drop records that consumers still need.")
    private boolean areCursorsIgnored;

    @Option(names = "--ignore-snapshots", description = "Also drop records without which snapshots cannot be loaded.")
    private boolean areSnapshotsIgnored;

    @Override
    public Integer call()
    {
        final long before;
        final long after;
        try (Journal journal = openExisting())
        {
            if (!areCursorsIgnored)
            {
                journal.cursorNames().forEach((name) -> check(
                    journal.cursor(name).sequence() + 1, "consumer \"" + name + "\" still needs", "--ignore-cursors"));
            }
            if (!areSnapshotsIgnored)
            {
                check(journal.snapshots().firstNeededSequence(), "the application's snapshots still need",
                    "--ignore-snapshots");
            }
            before = journal.firstSequence();
            after = journal.prune(sequence);
        }

        print(Json.object().put("firstSequenceBefore", before).put("firstSequence", after), after == before ?
            "Nothing to drop: no whole segment is below record " + Text.number(sequence) + "." :
            "Dropped " + Text.records(before, after - 1) + ". The oldest is now " + Text.number(after) + ".");
        return ExitCode.OK;
    }

    private void check(final long needed, final String holder, final String option)
    {
        if (needed < sequence)
        {
            throw new CommandException(ExitCode.USAGE, holder + " record " + needed +
                ": nothing was dropped; name that record, or add " + option);
        }
    }
}
