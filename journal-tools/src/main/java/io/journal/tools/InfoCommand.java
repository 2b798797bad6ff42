// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.ReadOnlyJournal;
import io.journal.verify.JournalInfo;
import io.journal.verify.JournalVerifier;
import picocli.CommandLine.Command;

@Command(
    name = "info",
    header = "Shows the identity and size of a journal, and whether it was closed cleanly.",
    description = {
        "",
        "Reads only journal.control, the oldest and the newest segment, so it is fast on a journal of any " +
            "size. Damage elsewhere is not detected: that is what verify is for. Changes nothing and takes no lock." })
final class InfoCommand extends JournalCommand
{
    private static final Pattern PID = Pattern.compile("pid=(\\d{1,10})\\b");

    @Override
    public Integer call()
    {
        final JournalInfo info = JournalVerifier.open(path).info();
        final boolean isOwnerRunning = isRunning(info.owner());
        List<JournalCursor.Saved> cursors = List.of();
        String openingError = "";
        try (ReadOnlyJournal journal = Journal.openReadOnly(path))
        {
            cursors = journal.cursors();
        }
        catch (final JournalException ex)
        {
            // Report the error, but do not fail, because the other facts are still useful.
            openingError = ex.getMessage();
        }
        if (isJson)
        {
            out().println(Json.of(info).put("isOwnerRunning", isOwnerRunning).put("openingError", openingError)
                .setAll(CursorsCommand.json(cursors)));
            return ExitCode.OK;
        }

        print(info);
        line("state", state(info, isOwnerRunning, openingError.isEmpty()));
        if (!openingError.isEmpty())
        {
            line("cannot open", Text.harmless(openingError));
        }
        line("durable", 0 == info.forcedPosition() ? "unknown: no durable watermark" :
            "up to position " + Text.number(info.forcedPosition()) + ", by journal.control");
        line("term", Text.number(info.term()) + (0 == info.cutLength() ? "" :
            "; truncated or torn, and not pruned yet: " + Text.bytes(info.cutLength())));
        if (!info.owner().isEmpty())
        {
            line("writer", Text.harmless(info.owner()) +
                (isOwnerRunning ? " (a process with this id is running)" : " (gone)"));
        }
        cursors.forEach((cursor) -> line("consumer", CursorsCommand.text(cursor)));
        info.strayFiles().forEach((name) -> line("stray file", Text.harmless(name) +
            ": not the name of a segment; opening refuses the journal until it is moved away"));
        return ExitCode.OK;
    }

    private void print(final JournalInfo info)
    {
        line("journal", path.toString());
        line("uuid", info.uuid().toString());
        line("segments", Text.number(info.segments()) + " of " + Text.bytes(info.segmentLength()) +
            (0 == info.preparedSegments() ? ", " : ", and " + info.preparedSegments() + " prepared, ") +
            Text.bytes((long)(info.segments() + info.preparedSegments()) * info.segmentLength()));
        final long first = info.firstSequence();
        final long last = info.lastSequence();
        if (last < 0)
        {
            line("records", "unknown: no segment can be read; journal verify shows why");
            return;
        }
        line("records", last < first ? "none; the next is " + Text.number(first) :
            Text.number(first) + " to " + Text.number(last));
        line("time", "from " + Instant.ofEpochMilli(info.oldestTimeMs()) + " to " +
            Instant.ofEpochMilli(info.newestTimeMs()) + " or later");
        line("end", "position " + Text.number(info.endPosition()));
    }

    private void line(final String name, final String text)
    {
        Text.line(out(), name, text);
    }

    private static String state(final JournalInfo info, final boolean isOwnerRunning, final boolean opens)
    {
        if (info.isClosed())
        {
            return "closed";
        }
        if (opens && !info.isForceUnfinished() && info.endPosition() == info.forcedPosition())
        {
            return "complete, but not closed: a backup, in use, or left by a writer that died";
        }

        // A process in another container is not visible, so the writer may be alive although no process was found.
        return isOwnerRunning ? "not closed: in use, since its writer's process is running" :
            "not closed: its writer died, or runs where it cannot be seen, as in another container; the next opening " +
                "recovers it";
    }

    private static boolean isRunning(final String owner)
    {
        final Matcher pid = PID.matcher(owner);
        return pid.find() &&
            ProcessHandle.of(Long.parseLong(pid.group(1))).map(ProcessHandle::isAlive).orElse(false);
    }
}
