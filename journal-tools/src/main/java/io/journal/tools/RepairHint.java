package io.journal.tools;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;

import io.journal.JournalCursor;
import io.journal.verify.Finding.Severity;
import io.journal.verify.Finding;

/**
 * The command line that repairs a finding.
 */
final class RepairHint
{
    /** Name of the cursors directory. */
    static final String CURSORS = "cursors";

    /** Consequence of an unusable cursor. */
    private static final String UNUSABLE_CURSOR =
        "retention keeps all history until this cursor is deleted, and its consumer cannot continue";

    /** Consequence of a cursor beyond the end of the journal. */
    private static final String CURSOR_AHEAD =
        "a record that this consumer was done with is lost: restore the journal from a backup; if it is opened as it " +
            "is, the cursor is unusable";

    /** Consequence of a cursor whose file cannot be read. */
    private static final String UNREADABLE_CURSOR =
        "until this file can be read, retention keeps all history, and its consumer cannot continue: fix its " +
            "permissions or the device; if the file is lost for good, delete the cursor, and its consumer begins again";

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*");

    private static final int MAX_CURSOR_LENGTH = 64 * 1024;

    private RepairHint()
    {
    }

    /**
     * @return the command, or empty if there is none for this finding alone.
     */
    static String of(final Finding finding, final Path journal)
    {
        if (!finding.isOfCursors())
        {
            return "";
        }
        if (Severity.DAMAGE == finding.severity())
        {
            return "journal repair " + typed(journal);
        }
        if (!finding.cursor().isEmpty())
        {
            return deletion(finding.cursor(), journal);
        }

        return Severity.UNUSABLE == finding.severity() ? "journal repair --apply " + typed(journal) : "";
    }

    /**
     * @param cursor that is not usable.
     */
    static String of(final JournalCursor.Saved cursor, final Path journal)
    {
        return isAhead(cursor) ? "journal repair " + typed(journal) : deletion(cursor.name(), journal);
    }

    /**
     * @param cursor that is not usable.
     */
    static String consequence(final JournalCursor.Saved cursor, final Path journal)
    {
        return isAhead(cursor) ? CURSOR_AHEAD :
            isUnreadable(cursor.name(), journal) ? UNREADABLE_CURSOR : UNUSABLE_CURSOR;
    }

    /**
     * Whether the operating system refuses to read the file of a cursor.
     */
    static boolean isUnreadable(final String cursor, final Path journal)
    {
        final Path file = journal.resolve(CURSORS).resolve(cursor + ".cursor");
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
        {
            return false;
        }
        try (InputStream input = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS))
        {
            input.readNBytes(MAX_CURSOR_LENGTH);
            return false;
        }
        catch (final NoSuchFileException ex)
        {
            return false;
        }
        catch (final IOException ex)
        {
            return true;
        }
    }

    /**
     * Whether an unusable cursor can be read, and is beyond the end of the journal.
     */
    static boolean isAhead(final JournalCursor.Saved cursor)
    {
        return !cursor.isUsable() && cursor.sequence() >= 0;
    }

    static String deletion(final String cursor, final Path journal)
    {
        return "journal cursors --delete" + (cursor.startsWith("-") ? "=" : " ") + cursor + " " + typed(journal);
    }

    /**
     * A path as a single word of a shell command, quoted if necessary.
     */
    static String typed(final Path path)
    {
        final String text = path.toString();
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
