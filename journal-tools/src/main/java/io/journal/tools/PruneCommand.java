package io.journal.tools;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

import io.journal.Journal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "prune",
    header = "Drops the old segments of a journal that is not in use.",
    description = {
        "",
        "Dropped records cannot be recovered. Only whole segments are dropped, so some records below the given " +
            "sequence may stay. Refused if a consumer's cursor still needs a record below it, unless " +
            "--ignore-cursors is given, or if the application's snapshots do, unless --ignore-snapshots is given. A " +
            "journal in use is pruned by its own application." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:dropped, or there was nothing to drop",
        "1:the journal, or a cursor, is damaged; nothing was dropped",
        "2:there is no such record, a consumer or a snapshot still needs it, or the command line is wrong; nothing " +
            "was dropped",
        "3:no journal here, or one of a newer format, or a cursor of one",
        "4:a writer has the journal open",
        "5:an I/O error, or the disk is full" })
final class PruneCommand implements Callable<Integer>
{
    @Mixin
    private JournalOptions options;

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

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        final long before;
        final long after;
        try (Journal journal = Writing.builder(options.journal()).openExisting())
        {
            if (!areCursorsIgnored)
            {
                checkCursors(journal);
            }
            if (!areSnapshotsIgnored)
            {
                checkSnapshots(journal);
            }
            before = journal.firstSequence();
            after = journal.prune(sequence);
        }

        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            out.println(Json.line(Json.object().put("firstSequenceBefore", before).put("firstSequence", after)));
        }
        else
        {
            out.println(after == before ? "Nothing to drop: no whole segment is below record " +
                Text.number(sequence) + "." :
                "Dropped " + Findings.range(before, after - 1) +
                    ". The oldest is now " + Text.number(after) + ".");
        }

        return ExitCode.OK;
    }

    private void checkSnapshots(final Journal journal)
    {
        final long needed = journal.snapshots().firstNeededSequence();
        if (needed < sequence)
        {
            throw new CommandException(ExitCode.USAGE, "the application's snapshots still need record " + needed +
                ": nothing was dropped; name that record, or add --ignore-snapshots");
        }
    }

    private void checkCursors(final Journal journal)
    {
        for (final String name : journal.cursorNames())
        {
            final long needed = journal.cursor(name).sequence() + 1;
            if (needed < sequence)
            {
                throw new CommandException(ExitCode.USAGE, "consumer \"" + name + "\" still needs record " + needed +
                    ": nothing was dropped; name that record, or add --ignore-cursors");
            }
        }
    }
}
