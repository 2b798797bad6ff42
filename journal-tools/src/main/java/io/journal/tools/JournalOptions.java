package io.journal.tools;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.platform.FileType;
import io.journal.verify.JournalVerifier;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Parameters and options of every command.
 */
final class JournalOptions
{
    private static final String CONTROL = "journal.control";

    @Parameters(index = "0", paramLabel = "JOURNAL", description = "The journal's directory.")
    private Path path;

    @Option(names = "--json", description = "Print JSON for scripts instead of text.")
    private boolean isJson;

    @Option(
        names = { "-h", "--help" },
        usageHelp = true,
        description = "Print this help.")
    private boolean isHelp;

    boolean isJson()
    {
        return isJson;
    }

    /**
     * The file that was given instead of a directory, or null.
     */
    Path file()
    {
        return FileType.REGULAR_FILE == typeOf(path) ? path : null;
    }

    /**
     * Opens the journal read-only.
     *
     * @throws CommandException if there is no journal.
     */
    ReadOnlyJournal openReadOnly()
    {
        final Path journal = journal();
        if (FileType.ABSENT == typeOf(journal.resolve(CONTROL), LinkOption.NOFOLLOW_LINKS))
        {
            // A follower would wait for the file to appear. Here a missing one is damage, and this call throws.
            JournalVerifier.open(journal);
        }

        return Journal.openReadOnly(journal);
    }

    /**
     * @throws CommandException if there is no journal.
     */
    Path journal()
    {
        final FileType type = typeOf(path);
        if (FileType.DIRECTORY != type)
        {
            throw new CommandException(
                ExitCode.NO_JOURNAL,
                (FileType.ABSENT == type && FileType.ABSENT == typeOf(path, LinkOption.NOFOLLOW_LINKS) ?
                    "no such directory: " : "not a directory: ") + path + "; a journal is named by its directory" +
                    Suggestion.of(path));
        }
        final boolean hasSegments;
        // Other programs, too, have files that end in .journal.
        try (var segments = Files.newDirectoryStream(
            path, (file) -> JournalFiles.isOrdinal(String.valueOf(file.getFileName()))))
        {
            hasSegments = segments.iterator().hasNext();
        }
        catch (final IOException | DirectoryIteratorException ex)
        {
            throw new CommandException(ExitCode.FAILED, "cannot read the directory: " + path + "; cause=" + ex);
        }
        if (!hasSegments && FileType.ABSENT == typeOf(path.resolve(CONTROL), LinkOption.NOFOLLOW_LINKS))
        {
            throw new CommandException(
                ExitCode.NO_JOURNAL,
                "no journal here: " + path + " has no journal.control; give the journal's directory");
        }

        return path;
    }

    private static FileType typeOf(final Path path, final LinkOption... options)
    {
        try
        {
            return FileType.of(path, options);
        }
        catch (final IOException ex)
        {
            throw new CommandException(ExitCode.FAILED, "cannot access " + path + "; cause=" + ex);
        }
    }
}
