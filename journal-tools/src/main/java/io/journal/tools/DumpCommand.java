package io.journal.tools;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.verify.Salvage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "dump",
    header = "Prints records.",
    description = {
        "",
        "Prints all records, or those that match every filter. Does not print what is appended meanwhile; tail -f " +
            "does that. Changes nothing and takes no lock, so it may run beside a writer.",
        "",
        "Records have no timestamps. The journal stores the time in watermark frames, about once a second while " +
            "records are appended. So --since begins, and --until ends, at the last such frame before that time.",
        "",
        "JOURNAL may also be one segment file, wherever it is: all its records " +
            "that can be read are printed, also behind damage, and what is missing is reported; what is missing at " +
            "the end, only in the directory of the journal." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:printed, even if no record matched",
        "1:the journal is damaged; the records before the damage were printed",
        "2:the journal has no such records, or the command line is wrong",
        "3:no journal here, or one of a newer format",
        "5:the files could not be read, or the output not written" },
    footerHeading = "%nExamples:%n",
    footer = {
        "  journal dump orders --from 1000 --to 1010",
        "  journal dump orders --tag 7 --json | jq .text",
        "  journal dump orders --since 2026-01-31T12:00:00Z --format hex",
        "  journal dump orders/00000000000000000003.journal" })
final class DumpCommand implements Callable<Integer>
{
    private static final int POLL_LIMIT = 256;

    @Mixin
    private JournalOptions options;

    @Option(names = "--from", paramLabel = "SEQUENCE", description = "Begin at this record.")
    private Long from;

    @Option(names = "--to", paramLabel = "SEQUENCE", description = "End with this record.")
    private Long to;

    @Option(names = "--tag", paramLabel = "TAG", split = ",", description = "Only records with this tag, or these.")
    private List<Long> tags;

    @Option(names = "--since", paramLabel = "TIME", description = "Begin about this time, like 2026-01-31 or " +
        "2026-01-31T12:00:00Z; without a zone it is in UTC.")
    private Instant since;

    @Option(names = "--until", paramLabel = "TIME", description = "End about this time.")
    private Instant until;

    @Option(names = "--format", paramLabel = "FORMAT", description = "text (default; UTF-8 with control characters " +
        "escaped), hex or json (one object per line; base64 if a record is not UTF-8).")
    private RecordPrinter.Format format = RecordPrinter.Format.TEXT;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        final PrintWriter out = spec.commandLine().getOut();
        final RecordPrinter printer =
            new RecordPrinter(out, options.isJson() ? RecordPrinter.Format.JSON : format);
        final Path file = options.file();
        if (null != file)
        {
            return printFile(file, printer);
        }

        try (ReadOnlyJournal journal = options.openReadOnly();
            JournalReader reader = journal.openReader())
        {
            final long last = lastToPrint(journal);
            if (null != since)
            {
                reader.seekToTime(since);
            }
            if (null != from && (null == since || from > reader.nextSequence()))
            {
                reader.seek(from);
            }
            print(reader, last, printer, out);
        }

        return ExitCode.OK;
    }

    private long lastToPrint(final ReadOnlyJournal journal)
    {
        long last = journal.lastSequence();
        if (null != to)
        {
            last = Math.min(last, to);
        }
        if (null != until)
        {
            try (JournalReader reader = journal.openReader())
            {
                reader.seekToTime(until);
                last = Math.min(last, reader.nextSequence() - 1);
            }
        }

        return last;
    }

    private int printFile(final Path file, final RecordPrinter printer)
    {
        if (null != since || null != until)
        {
            throw new CommandException(ExitCode.USAGE, "--since and --until need a journal, not one file of it");
        }

        final boolean[] isDamaged = new boolean[1];
        Salvage.readSegment(file, new Salvage.Handler()
        {
            @Override
            public void onRecord(
                final long sequence,
                final long tag,
                final long position,
                final ByteBuffer buffer,
                final int offset,
                final int length)
            {
                if ((null == from || sequence >= from) && (null == to || sequence <= to) &&
                    (null == tags || tags.contains(tag)))
                {
                    final byte[] bytes = new byte[length];
                    buffer.get(offset, bytes);
                    printer.print(sequence, tag, position, bytes);
                }
            }

            @Override
            public void onGap(final Salvage.Gap gap)
            {
                isDamaged[0] = true;
                spec.commandLine().getOut().flush();
                spec.commandLine().getErr().println("journal: " + SalvageCommand.describe(gap));
            }
        });
        return isDamaged[0] ? ExitCode.DAMAGED : ExitCode.OK;
    }

    private void print(
        final JournalReader reader, final long last, final RecordPrinter printer, final PrintWriter out)
    {
        final Set<Long> tags = null == this.tags ? null : new HashSet<>(this.tags);
        final RecordHandler.Controlled handler = (buffer, offset, length, header) ->
        {
            if (null == tags || tags.contains(header.tag()))
            {
                printer.onRecord(buffer, offset, length, header);
            }
            return header.sequence() >= last ?
                RecordHandler.Action.BREAK : RecordHandler.Action.CONTINUE;
        };
        // Stops when the reader of a pipe closes it.
        while (reader.nextSequence() <= last && !out.checkError() && !Thread.currentThread().isInterrupted())
        {
            if (0 == reader.controlledPoll(handler, POLL_LIMIT))
            {
                break;
            }
        }
    }
}
