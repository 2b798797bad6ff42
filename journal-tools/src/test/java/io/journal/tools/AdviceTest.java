// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.journal.Journal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Users of the command line cannot call methods of the library, so no output may advise that, whatever the damage. */
@Tag("slow")
class AdviceTest extends ToolsFixture
{
    // Matches the member of a class, a call, a constructor, the name of a class, or of a method of the library.
    private static final Pattern JAVA = Pattern.compile(
        "\\b[A-Z]\\w*\\.[a-z]\\w*" +
            "|\\b\\w+\\((\\)|\"|[a-z]\\w*\\))" +
            "|\\bnew [A-Z]\\w*\\(" +
            "|\\bJournal(JournalAppender|Builder|Cursor|Reader|Repair|Verifier)\\b" +
            "|\\b(ReadOnlyJournal|RecoveryReport|RecordClaim|ForcePolicy|Retention)\\b" +
            "|\\b(deleteCursor|truncateAfter|openReadOnly|recoveryReport|backgroundThread|errorHandler)\\b");

    /** A kind of damage, or another fault of a journal. */
    enum Wrong
    {
        NOTHING((journal) ->
        {
            // Intact.
        }),
        RECORD((journal) -> flip(segment(journal, 1), 20_000)),
        NEWEST_RECORD((journal) -> flip(segment(journal, 3), 5000)),
        SEGMENT_HEADER((journal) -> flip(segment(journal, 2), 100)),
        SEGMENT_ABSENT((journal) -> Files.delete(segment(journal, 0))),
        SEGMENT_SHORTER((journal) -> Files.write(segment(journal, 3), new byte[100])),
        FOREIGN_SEGMENT((journal) -> Files.writeString(journal.resolve("copy.journal"), "text")),
        CONTROL((journal) -> flip(journal.resolve("journal.control"), 100)),
        CONTROL_SLOTS((journal) ->
        {
            flip(journal.resolve("journal.control"), 4096 + 30);
            flip(journal.resolve("journal.control"), 69_632 + 30);
        }),
        CONTROL_ABSENT((journal) -> Files.delete(journal.resolve("journal.control"))),
        CONTROL_SHORTER((journal) -> Files.write(journal.resolve("journal.control"), new byte[10])),
        CONTROL_NO_FILE((journal) ->
        {
            Files.delete(journal.resolve("journal.control"));
            Files.createDirectory(journal.resolve("journal.control"));
        }),
        LOCK_NO_FILE((journal) ->
        {
            Files.delete(journal.resolve("journal.lock"));
            Files.createDirectory(journal.resolve("journal.lock"));
        }),
        CURSOR_AHEAD((journal) -> ControlFiles.saveCursor(journal, "mails", 1000)),
        NEWER_FORMAT((journal) ->
        {
            final byte[] control = Files.readAllBytes(journal.resolve("journal.control"));
            control[8] = 3;
            Files.write(journal.resolve("journal.control"), control);
        });

        final Damage damage;

        Wrong(final Damage damage)
        {
            this.damage = damage;
        }
    }

    private interface Damage
    {
        void apply(Path journal) throws IOException;
    }

    private Path journal(final String name)
    {
        final Path journal = temp.resolve(name);
        try (Journal open = builder(journal).open())
        {
            append(open, 300);
            open.cursor("invoices").save(290);
            open.cursor("mails").save(299);
        }

        return journal;
    }

    /**
     * Returns every command, with the arguments it requires and with arguments it rejects. Commands that change files
     * come last.
     */
    private List<Object[]> typed(final Path journal)
    {
        final Path other = temp.resolve("other");
        return List.of(
            new Object[]{ "info", journal },
            new Object[]{ "dump", journal },
            new Object[]{ "dump", "--from", 100_000, journal },
            new Object[]{ "dump", "--from", 250, "--to", 3, journal },
            new Object[]{ "tail", journal },
            new Object[]{ "stats", "--every", 0.01, journal },
            new Object[]{ "verify", journal },
            new Object[]{ "cursors", journal },
            new Object[]{ "repair", journal },
            new Object[]{ "salvage", journal, journal },
            new Object[]{ "salvage", "--segment-length", "65k", journal, other },
            new Object[]{ "salvage", journal, temp.resolve("salvaged-" + journal.getFileName()) },
            new Object[]{ "backup", journal, journal },
            new Object[]{ "backup", journal, other.resolve("copy") },
            new Object[]{ "prune", "--before", 200, journal },
            new Object[]{ "prune", "--before", 100_000, "--ignore-cursors", journal },
            new Object[]{ "prune", "--before", -1, "--ignore-cursors", journal },
            new Object[]{ "cursors", "--delete", "unknown", journal },
            new Object[]{ "repair", "--apply", journal },
            new Object[]{ "cursors", "--delete", "mails", journal },
            new Object[]{ "repair", "--apply", "--accept-loss", journal });
    }

    private void assertNoJava(final Path journal)
    {
        for (final Object[] args : typed(journal))
        {
            assertNoJava(run(args), List.of(args).toString());
            if (List.of("info", "stats", "verify", "cursors", "repair").contains(args[0]) && args.length < 5)
            {
                final Object[] json = Stream.concat(Stream.of(args), Stream.of("--json")).toArray();
                assertNoJava(run(json), List.of(json).toString());
            }
        }
    }

    private static void assertNoJava(final Run run, final String context)
    {
        assertTrue(run.exitCode() <= ExitCode.FAILED, () -> context + ": " + run);
        final Matcher java = JAVA.matcher(run.out() + run.err());
        if (java.find())
        {
            assertEquals("", java.group(), () -> context + ": " + run);
        }
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void noCommandAdvisesToCallAMethodWhateverIsDamaged(final Wrong wrong) throws IOException
    {
        final Path journal = journal("orders");
        wrong.damage.apply(journal);

        assertNoJava(journal);
    }

    @ParameterizedTest
    @MethodSource("io.journal.tools.MainTest#commands")
    void noHelpAdvisesToCallAMethod(final String command)
    {
        assertNoJava(run(command, "--help"), command);
        assertNoJava(run("--help"), "--help");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
            "; Journal.deleteCursor(\"x\") lets its consumer begin again", "copied with Journal.backup(Path)",
            "call deleteCursor(\"x\")", "use a JournalRepair", "close() it", "new Journal(path)" })
    void adviceInJavaWouldBeNoticed(final String text)
    {
        assertTrue(JAVA.matcher(text).find());
        assertFalse(JAVA.matcher("in journal.control (length 85), cause=java.io.IOException: /tmp/orders").find());
    }
}
