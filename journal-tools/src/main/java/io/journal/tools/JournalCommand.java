// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.verify.Finding;
import io.journal.verify.JournalVerifier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Common base of the commands for a journal: its directory, and output as text or JSON.
 */
abstract class JournalCommand implements Callable<Integer>
{
    private static final int WINDOW_LENGTH = 1024 * 1024;

    @Parameters(index = "0", paramLabel = "JOURNAL", description = "The journal's directory.")
    Path path;

    @Option(names = "--json", description = "Print JSON for scripts instead of text.")
    boolean isJson;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelp;

    @Spec
    private CommandSpec spec;

    final PrintWriter out()
    {
        return spec.commandLine().getOut();
    }

    final PrintWriter err()
    {
        return spec.commandLine().getErr();
    }

    /** Whether to stop, because the thread is interrupted or nobody reads the output any more. */
    final boolean isEnded()
    {
        return out().checkError() || Thread.currentThread().isInterrupted();
    }

    /** Prints a result as JSON with the same fields, or as the given text. */
    final void print(final Object result, final String text)
    {
        out().println(isJson ? Json.of(result).toString() : Text.folded(text, 0));
    }

    final void print(final Finding finding)
    {
        final Finding.Place place = finding.place();
        final String what = switch (finding.severity())
        {
            case TAIL -> "torn tail in ";
            case NOTE -> "note on ";
            case UNUSABLE -> "UNUSABLE: ";
            default -> finding.severity().name().replace('_', ' ') + " in ";
        };
        out().println(Text.folded(
            what + Text.harmless(place.file()) + " at offset " + Text.number(place.offset()) +
                (place.sequence() < 0 ? "" : ", record " + Text.number(place.sequence())),
            2));
        Text.line(out(), "  expected", finding.expected());
        Text.line(out(), "  found", Text.harmless(finding.found()));
        if (finding.lost() > 0)
        {
            Text.line(out(), "  unverified", Text.records(place.sequence(), place.sequence() + finding.lost() - 1));
        }
        Text.line(out(), "  means", finding.meaning());
        out().println();
    }

    final ReadOnlyJournal openReadOnly()
    {
        // Throws if journal.control is missing. Without this check, openReadOnly would wait for a writer to create it.
        JournalVerifier.open(path);
        return Journal.openReadOnly(path);
    }

    /** Opens for writing, without mapping files and without a background thread. */
    final Journal openExisting()
    {
        JournalVerifier.open(path);
        return Journal.builder(path).backend(Backend.FILE_CHANNEL).writeWindow(WINDOW_LENGTH).backgroundThread(false)
            .openExisting();
    }
}
