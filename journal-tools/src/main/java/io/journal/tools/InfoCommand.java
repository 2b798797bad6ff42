package io.journal.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.ReadOnlyJournal;
import io.journal.internal.files.DirectoryLock;
import io.journal.verify.JournalVerifier;
import io.journal.verify.SegmentCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "info",
    header = "Shows the identity and size of a journal, and whether it was closed cleanly.",
    description = {
        "",
        "Reads only journal.control, the oldest and the newest segment, so it is fast on a journal of any " +
            "size. Damage elsewhere is not detected: that is what verify is for. Changes nothing and takes no lock." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:printed",
        "1:journal.control is damaged or missing",
        "3:no journal here, or one of a newer format",
        "5:the files could not be read, or the output not written" })
final class InfoCommand implements Callable<Integer>
{
    private static final Pattern PID = Pattern.compile("pid=(\\d{1,10})\\b");

    @Mixin
    private JournalOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException
    {
        final Path path = options.journal();
        final ObjectNode facts = facts(path, JournalVerifier.open(path));
        final PrintWriter out = spec.commandLine().getOut();
        if (options.isJson())
        {
            out.println(Json.line(facts));
        }
        else
        {
            print(out, facts);
        }

        return ExitCode.OK;
    }

    private static ObjectNode facts(final Path path, final JournalVerifier journal) throws IOException
    {
        final List<Long> ordinals = journal.ordinals();
        final int prepared = prepared(journal);
        final SegmentCheck newest = newest(journal);
        final long next = null == newest || newest.nextSequence() < 0 ? -1 : newest.nextSequence();
        final ObjectNode facts = Json.object()
            .put("journal", path.toString())
            .put("uuid", journal.uuid().toString())
            .put("segmentLength", journal.segmentLength())
            .put("segments", ordinals.size() - prepared)
            .put("preparedSegments", prepared)
            .put("length", (long)ordinals.size() * journal.segmentLength())
            .put("firstSequence", journal.firstSequence())
            .put("term", journal.term())
            .put("cutLength", journal.cutLength())
            .put("forcedPosition", journal.forcedPosition())
            .put("isForceUnfinished", journal.isForceUnfinished())
            .put("isClosed", journal.isClosed());
        if (next >= 0)
        {
            facts.put("lastSequence", next - 1)
                .put("endPosition", newest.endPosition())
                .put("newestWatermarkMs", newest.lastTimeMs());
        }
        if (!ordinals.isEmpty())
        {
            facts.put("oldestWatermarkMs", oldestWatermark(journal));
        }
        final String owner = Text.harmless(DirectoryLock.owner(path));
        if (!owner.isEmpty())
        {
            facts.put("owner", owner).put("isOwnerRunning", isRunning(owner));
        }
        putCursors(path, facts);
        journal.strayFiles().forEach(facts.putArray("strayFiles")::add);
        return facts;
    }

    /**
     * How many of the newest segments have no frame yet.
     */
    private static int prepared(final JournalVerifier journal)
    {
        int count = 0;
        for (int i = journal.ordinals().size() - 1; i >= 0 && check(journal, i).isPrepared(); i--)
        {
            count++;
        }

        return count;
    }

    private static SegmentCheck check(final JournalVerifier journal, final int index)
    {
        return journal.check(journal.ordinals().get(index), (bytes) ->
        {
        });
    }

    /**
     * The newest segment that contains a frame, or null.
     */
    private static SegmentCheck newest(final JournalVerifier journal)
    {
        for (int i = journal.ordinals().size() - 1; i >= 0; i--)
        {
            final SegmentCheck check = check(journal, i);
            if (check.frames() > 0)
            {
                return check;
            }
        }

        return null;
    }

    private static long oldestWatermark(final JournalVerifier journal)
    {
        return check(journal, 0).firstTimeMs();
    }

    private static void printState(final PrintWriter out, final ObjectNode facts)
    {
        if (facts.path("isClosed").asBoolean())
        {
            Text.line(out, "state", "closed");
        }
        else if (isComplete(facts))
        {
            Text.line(out, "state", "complete, but not closed: a backup, in use, or left by a writer that died");
        }
        else if (facts.path("isOwnerRunning").asBoolean())
        {
            Text.line(out, "state", "not closed: in use, since its writer's process is running");
        }
        else
        {
            // A process in another container is not visible.
            Text.line(out, "state", "not closed: its writer died, or runs where it cannot be seen, as in another " +
                "container; the next opening recovers it");
        }
        if (facts.has("openingError"))
        {
            Text.line(out, "cannot open", Text.harmless(facts.get("openingError").asText()));
        }
    }

    /**
     * Whether all of it is durable.
     */
    private static boolean isComplete(final ObjectNode facts)
    {
        return facts.has("endPosition") && !facts.has("openingError") && !facts.get("isForceUnfinished").asBoolean() &&
            facts.get("endPosition").asLong() == facts.get("forcedPosition").asLong();
    }

    private static boolean isRunning(final String owner)
    {
        final Matcher pid = PID.matcher(owner);
        return pid.find() &&
            ProcessHandle.of(Long.parseLong(pid.group(1))).map(ProcessHandle::isAlive).orElse(false);
    }

    /**
     * Adds the facts that require a journal that opens for reading.
     */
    private static void putCursors(final Path path, final ObjectNode facts)
    {
        try (ReadOnlyJournal journal = Journal.openReadOnly(path))
        {
            Sample.write(facts, journal.cursors());
        }
        catch (final JournalException ex)
        {
            // Reported, but no failure of this command: the other facts are still useful.
            facts.put("openingError", ex.getMessage());
        }
    }

    private static void print(final PrintWriter out, final ObjectNode facts)
    {
        Text.line(out, "journal", facts.get("journal").asText());
        Text.line(out, "uuid", facts.get("uuid").asText());
        Text.line(out, "segments", Text.number(facts.get("segments").asLong()) + " of " +
            Text.bytes(facts.get("segmentLength").asLong()) +
            (0 == facts.get("preparedSegments").asInt() ? ", " :
                ", and " + facts.get("preparedSegments").asInt() + " prepared, ") +
            Text.bytes(facts.get("length").asLong()));
        final long first = facts.get("firstSequence").asLong();
        if (!facts.has("lastSequence"))
        {
            Text.line(out, "records", "unknown: no segment can be read; journal verify shows why");
        }
        else
        {
            final long last = facts.get("lastSequence").asLong();
            Text.line(out, "records", last < first ? "none; the next is " + Text.number(last + 1) :
                Text.number(first) + " to " + Text.number(last));
            Text.line(out, "time", "from " + Text.time(facts.get("oldestWatermarkMs").asLong()) + " to " +
                Text.time(facts.get("newestWatermarkMs").asLong()) + " or later");
            Text.line(out, "end", "position " + Text.number(facts.get("endPosition").asLong()));
        }
        printState(out, facts);
        Text.line(out, "durable", facts.get("forcedPosition").asLong() > 0 ?
            "up to position " + Text.number(facts.get("forcedPosition").asLong()) + ", by journal.control" :
            "unknown: no durable watermark");
        Text.line(out, "term", Text.number(facts.get("term").asLong()) +
            (0 == facts.get("cutLength").asLong() ? "" : "; truncated or torn, and not pruned yet: " +
                Text.bytes(facts.get("cutLength").asLong())));
        if (facts.has("owner"))
        {
            Text.line(out, "writer", facts.get("owner").asText() + (facts.get("isOwnerRunning").asBoolean() ?
                " (a process with this id is running)" : " (gone)"));
        }
        facts.path("cursors").forEach((cursor) -> printCursor(out, cursor));
        facts.get("strayFiles").forEach((name) -> Text.line(out, "stray file", Text.harmless(name.asText()) +
            ": not the name of a segment; opening refuses the journal until it is moved away"));
    }

    private static void printCursor(final PrintWriter out, final JsonNode cursor)
    {
        Text.line(out, "consumer", cursor.get("name").asText() + ": done with record " +
            Text.number(cursor.get("sequence").asLong()) + ", " + Text.number(cursor.get("lag").asLong()) + " behind");
    }
}
