package io.journal.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.verify.Salvage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "salvage",
    header = "Copies every record that can be read of a damaged journal into a new one.",
    description = {
        "",
        "Continues behind damage, where repair truncates and a reader stops, and lists the records that are missing. " +
            "Needs neither journal.control nor whole segment files. The damaged journal is only read; take a copy of " +
            "it first all the same.",
        "",
        "Behind a missing record the new journal's sequences are lower than the old ones; the list shows by how " +
            "much. With --fill-tag they stay: each missing record is replaced by an empty one with that tag. " +
            "Cursors, snapshots and the boundaries of batches are not kept.",
        "",
        "If the process is killed, an incomplete journal stays in TARGET, which journal info shows as not closed: " +
            "delete it." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:the new journal is complete and durable, and nothing is missing",
        "1:the new journal is complete and durable; records are missing, or too little can be read",
        "2:the target is not empty or lies within the journal, or the command line is wrong",
        "3:no journal here, or one of a newer format",
        "4:another process writes to the target, which stays as it is",
        "5:an I/O error, or the disk is full; nothing of the new journal is left" },
    footerHeading = "%nExample:%n",
    footer = "  journal salvage orders orders.salvaged")
final class SalvageCommand implements Callable<Integer>
{
    @Mixin
    private JournalOptions options;

    @Parameters(index = "1", paramLabel = "TARGET", description = "Directory of the new journal, absent or empty.")
    private Path target;

    @Option(names = "--fill-tag", paramLabel = "TAG", description = "Keep all sequences: put an empty record with " +
        "this tag in the place of each missing one, also of pruned ones.")
    private Long fillTag;

    @Spec
    private CommandSpec spec;

    /** Consecutive records, and the sequence that the first one of them got. */
    private record Range(long first, long last, long newFirst)
    {
    }

    /** Appends what is found, and remembers from where to where. */
    private final class Copy implements Salvage.Handler
    {
        private final Journal journal;
        private final JournalAppender appender;
        private final List<Range> ranges = new ArrayList<>();
        private final List<Salvage.Gap> gaps = new ArrayList<>();
        private long records;

        Copy(final Journal journal)
        {
            this.journal = journal;
            appender = journal.appender();
        }

        @Override
        public void onRecord(
            final long sequence,
            final long tag,
            final long position,
            final ByteBuffer buffer,
            final int offset,
            final int length)
        {
            NewJournal.checkInterrupt();
            while (null != fillTag && journal.lastSequence() < sequence - 1)
            {
                // After a large prune, these take longer than an interrupted process has.
                NewJournal.checkInterrupt();
                appender.append(fillTag, new byte[0], 0, 0);
            }

            final ByteBuffer record = buffer.duplicate().clear();
            final long newSequence = appender.append(tag, record, offset, length);
            records++;
            final Range last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
            if (null != last && last.last + 1 == sequence)
            {
                ranges.set(ranges.size() - 1, new Range(last.first, sequence, last.newFirst));
            }
            else
            {
                ranges.add(new Range(sequence, sequence, newSequence));
            }
        }

        @Override
        public void onGap(final Salvage.Gap gap)
        {
            gaps.add(gap);
        }
    }

    @Override
    public Integer call() throws IOException
    {
        final Path source = options.journal();
        NewJournal.checkTarget(target, source);

        final Copy[] copy = new Copy[1];
        NewJournal.write(target, Salvage.segmentLength(source), (journal) ->
        {
            copy[0] = new Copy(journal);
            Salvage.read(source, copy[0]);
        });
        report(copy[0]);
        return copy[0].gaps.isEmpty() ? ExitCode.OK : ExitCode.DAMAGED;
    }

    private void report(final Copy copy)
    {
        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            out.println(Json.line(json(copy)));
            return;
        }

        int gap = 0;
        for (final Range range : copy.ranges)
        {
            for (; gap < copy.gaps.size() && copy.gaps.get(gap).first() < range.first; gap++)
            {
                print(out, copy.gaps.get(gap));
            }
            Text.line(out, "copied", Findings.range(range.first, range.last) +
                (range.first == range.newFirst ? "" : ", which begin at " + Text.number(range.newFirst) + " now"));
        }
        for (; gap < copy.gaps.size(); gap++)
        {
            print(out, copy.gaps.get(gap));
        }
        out.println(Text.folded("Written to " + target + ": " + Text.count(copy.records, "record") +
            (copy.gaps.isEmpty() ? "; nothing is missing." : "."), 0));
    }

    private static void print(final PrintWriter out, final Salvage.Gap gap)
    {
        Text.line(out, "MISSING", describe(gap));
    }

    static String describe(final Salvage.Gap gap)
    {
        final String place = gap.file().isEmpty() ? "" :
            " (" + gap.file() + ", offset " + Text.number(gap.offset()) + ": " + Text.harmless(gap.found()) + ")";
        if (Salvage.UNKNOWN != gap.next())
        {
            return (Salvage.UNKNOWN == gap.first() ? "what may be before record " + Text.number(gap.next()) :
                Findings.range(gap.first(), gap.next() - 1)) + place;
        }
        return "what may follow " +
            (gap.first() > 1 ? "record " + Text.number(gap.first() - 1) : "the beginning") + place;
    }

    private ObjectNode json(final Copy copy)
    {
        final ObjectNode object = Json.object().put("target", target.toString()).put("records", copy.records);
        final ArrayNode ranges = object.putArray("copied");
        copy.ranges.forEach((range) -> ranges.addObject()
            .put("first", range.first).put("last", range.last).put("newFirst", range.newFirst));
        final ArrayNode gaps = object.putArray("missing");
        for (final Salvage.Gap gap : copy.gaps)
        {
            final ObjectNode node = gaps.addObject();
            if (Salvage.UNKNOWN != gap.first())
            {
                node.put("first", gap.first());
            }
            if (Salvage.UNKNOWN != gap.next())
            {
                node.put("last", gap.next() - 1);
            }
            node.put("file", gap.file()).put("offset", gap.offset()).put("found", gap.found());
        }
        return object;
    }
}
