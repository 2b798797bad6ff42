package io.journal.tools;

import java.nio.file.Path;
import java.util.regex.Pattern;

import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;

/**
 * The command line that repairs a finding.
 */
final class RepairHint
{
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:@%+=,][A-Za-z0-9_./:@%+=,-]*");

    private RepairHint()
    {
    }

    /**
     * @return the command, or empty if there is none for this finding alone.
     */
    static String of(final Finding finding, final Path journal)
    {
        return Severity.DAMAGE == finding.severity() && finding.isOfControl() ? "journal repair " + typed(journal) : "";
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
