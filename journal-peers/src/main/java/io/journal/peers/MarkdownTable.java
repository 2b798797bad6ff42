package io.journal.peers;

import java.util.Collections;
import java.util.List;

/**
 * Rows of a table in Markdown.
 */
final class MarkdownTable
{
    private final StringBuilder text;

    MarkdownTable(final StringBuilder text, final String title, final List<String> columns)
    {
        this.text = text;
        text.append("\n**").append(title).append("**\n\n");
        row("", columns);
        row("---", Collections.nCopies(columns.size(), "---"));
    }

    void row(final String name, final List<String> cells)
    {
        text.append("| ").append(name);
        cells.forEach((cell) -> text.append(" | ").append(cell));
        text.append(" |\n");
    }
}
