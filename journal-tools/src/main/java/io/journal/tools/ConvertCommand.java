package io.journal.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "convert",
    header = "Copies a journal into a new one with another segment length.",
    description = {
        "",
        "Sequences, tags and records are kept. Cursors, snapshots, the timestamps of watermark frames and the " +
            "boundaries of batches are not. If the first records were pruned, the new journal begins with the same " +
            "record as the old one. The original journal is only read.",
        "",
        "If the process is killed, an incomplete journal stays in TARGET, which journal info shows as not closed: " +
            "delete it." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:the new journal is complete and durable",
        "1:the journal is damaged; nothing of the new one is left",
        "2:the journal cannot be converted this way, or the command line is wrong",
        "3:no journal here, or one of a newer format",
        "4:another process writes to the target, which stays as it is",
        "5:an I/O error, or the disk is full; nothing of the new journal is left" })
final class ConvertCommand implements Callable<Integer>
{
    private static final int POLL_LIMIT = 1024;
    private static final int MIN_LENGTH = 64 * 1024;
    private static final int MAX_LENGTH = 1024 * 1024 * 1024;

    @Mixin
    private JournalOptions options;

    @Mixin
    private Progress.Options progress;

    @Parameters(index = "1", paramLabel = "TARGET", description = "Directory of the new journal, absent or empty.")
    private Path target;

    @Option(
        names = "--segment-length",
        paramLabel = "LENGTH",
        converter = Length.class,
        description = "A power of two from 64KiB to 1GiB (default: 64MiB).")
    private int segmentLength = 64 * 1024 * 1024;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException
    {
        if (segmentLength < MIN_LENGTH || segmentLength > MAX_LENGTH || 1 != Integer.bitCount(segmentLength))
        {
            throw new CommandException(
                ExitCode.USAGE, "invalid segment length: " + segmentLength + "; use a power of two from 64KiB to 1GiB");
        }

        final long first;
        final long last;
        try (ReadOnlyJournal journal = options.openReadOnly())
        {
            NewJournal.checkTarget(target, journal.path());
            first = journal.firstSequence();
            last = convert(journal, first);
        }

        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            out.println(Json.line(Json.object()
                .put("target", target.toString()).put("segmentLength", segmentLength)
                .put("firstSequence", first).put("lastSequence", last)));
        }
        else
        {
            out.println("Written to " + target + ": " + (last < first ? "no record" : Findings.range(first, last)) +
                ", in segments of " + Text.bytes(segmentLength) + ".");
        }

        return ExitCode.OK;
    }

    private long convert(final ReadOnlyJournal source, final long first) throws IOException
    {
        final long last = source.lastSequence();
        NewJournal.write(target, segmentLength, first, (journal) ->
        {
            try (JournalReader reader = source.openReader();
                Progress drawn = Progress.ofRecords(progress.console(options), "copying", last + 1 - first))
            {
                reader.seek(first);
                copy(reader, journal, last, drawn);
            }
        });
        return last;
    }

    private void copy(final JournalReader reader, final Journal journal, final long last, final Progress drawn)
    {
        final JournalAppender appender = journal.appender();
        while (reader.nextSequence() <= last)
        {
            final int limit = (int)Math.min(POLL_LIMIT, last + 1 - reader.nextSequence());
            final int count = reader.poll((buffer, offset, length, header) ->
            {
                NewJournal.checkInterrupt();
                if (length > appender.maxRecordLength())
                {
                    throw new CommandException(ExitCode.USAGE, "record " + header.sequence() + " has " + length +
                        " bytes and does not fit: segments of this length take at most " + appender.maxRecordLength());
                }
                appender.append(header.tag(), buffer, offset, length);
            }, limit);
            if (0 == count)
            {
                throw new CommandException(
                    ExitCode.FAILED, "the journal was truncated while it was read: stopped before " +
                        "record " + reader.nextSequence());
            }
            drawn.stepBy(count);
        }
        if (journal.lastSequence() != last)
        {
            throw new IllegalStateException("lastSequence=" + journal.lastSequence() + ", expected=" + last);
        }
    }
}
