// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Set;

import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "dump",
    header = "Prints records.",
    description = {
        "",
        "Prints all records, or those that match every filter. Does not print records that are appended meanwhile; " +
            "tail -f does that. Of an event it prints type, tags, stream, version, id and length. Changes nothing " +
            "and takes no lock, so it may run beside a writer.",
        "",
        "Records have no timestamps. The journal stores the time in watermark frames, about once a second while " +
            "records are appended. So --since begins, and --until ends, at the last such frame before that time." },
    footerHeading = "%nExamples:%n",
    footer = {
        "  journal dump orders --from 1000 --to 1010",
        "  journal dump orders --tag 7 --json | jq .text",
        "  journal dump orders --since 2026-01-31T12:00:00Z --hex" })
final class DumpCommand extends JournalCommand
{
    private static final int POLL_LIMIT = 256;

    @Option(names = "--from", paramLabel = "SEQUENCE", description = "Begin at this record.")
    private Long from;

    @Option(names = "--to", paramLabel = "SEQUENCE", description = "End with this record.")
    private long to = Long.MAX_VALUE;

    @Option(names = "--tag", paramLabel = "TAG", split = ",", description = "Only records with one of these tags.")
    private Set<Long> tags = Set.of();

    @Option(names = "--since", paramLabel = "TIME", converter = Time.class, description = "Begin about this time, " +
        "like 2026-01-31T12:00:00Z, or 2026-01-31 in UTC.")
    private Instant since;

    @Option(names = "--until", paramLabel = "TIME", converter = Time.class, description = "End about this time.")
    private Instant until;

    @Option(names = "--hex", description = "Print the bytes, not UTF-8 with control characters escaped.")
    private boolean isHex;

    private static final class Time implements ITypeConverter<Instant>
    {
        @Override
        public Instant convert(final String text)
        {
            try
            {
                return text.contains("T") ? Instant.parse(text) :
                    LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC);
            }
            catch (final DateTimeException ex)
            {
                throw new TypeConversionException(
                    "'" + text + "' is not a time, like 2026-01-31T12:00:00Z or 2026-01-31");
            }
        }
    }

    @Override
    public Integer call()
    {
        try (ReadOnlyJournal journal = openReadOnly(); JournalReader reader = journal.openReader())
        {
            final long last = Math.min(to, Math.min(journal.lastSequence(), lastUntil(journal)));
            if (null != since)
            {
                reader.seekToTime(since);
            }
            if (null != from && (null == since || from > reader.nextSequence()))
            {
                reader.seek(from);
            }
            print(reader, last);
        }

        return ExitCode.OK;
    }

    private long lastUntil(final ReadOnlyJournal journal)
    {
        if (null == until)
        {
            return Long.MAX_VALUE;
        }
        try (JournalReader reader = journal.openReader())
        {
            reader.seekToTime(until);
            return reader.nextSequence() - 1;
        }
    }

    private void print(final JournalReader reader, final long last)
    {
        final RecordPrinter printer = new RecordPrinter(out(), isJson, isHex);
        final RecordHandler.Controlled handler = (buffer, offset, length, header) ->
        {
            if (tags.isEmpty() || tags.contains(header.tag()))
            {
                printer.onRecord(buffer, offset, length, header);
            }
            return header.sequence() >= last ? RecordHandler.Action.BREAK : RecordHandler.Action.CONTINUE;
        };
        int count = 1;
        while (reader.nextSequence() <= last && count > 0 && !isEnded())
        {
            count = reader.controlledPoll(handler, POLL_LIMIT);
        }
    }
}
