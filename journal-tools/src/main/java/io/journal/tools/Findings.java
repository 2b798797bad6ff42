package io.journal.tools;

import java.io.PrintWriter;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.JournalVerifier.Finding;
import io.journal.JournalVerifier.Verdict;

/**
 * Prints what a verification found.
 */
final class Findings
{
    private Findings()
    {
    }

    static void print(final PrintWriter out, final Verdict verdict)
    {
        for (final Finding finding : verdict.findings())
        {
            out.println(Text.folded(title(finding), 2));
            line(out, "expected", finding.expected());
            line(out, "found", Text.harmless(finding.found()));
            if (finding.lost() > 0)
            {
                line(out, "unreadable", range(finding.sequence(), finding.sequence() + finding.lost() - 1));
            }
            line(out, "means", finding.meaning());
            out.println();
        }
    }

    static void write(final ObjectNode object, final Verdict verdict)
    {
        final ArrayNode findings = object.putArray("findings");
        for (final Finding finding : verdict.findings())
        {
            final ObjectNode node = findings.addObject()
                .put("severity", finding.severity().name())
                .put("file", finding.file())
                .put("offset", finding.offset());
            putKnown(node, "position", finding.position());
            putKnown(node, "sequence", finding.sequence());
            putKnown(node, "lost", finding.lost());
            node.put("expected", finding.expected()).put("found", finding.found()).put("meaning", finding.meaning());
        }
    }

    static String range(final long first, final long last)
    {
        return first == last ? "record " + Text.number(first) :
            "records " + Text.number(first) + " to " + Text.number(last);
    }

    private static String title(final Finding finding)
    {
        final String what;
        switch (finding.severity())
        {
            case DAMAGE:
                what = "DAMAGE";
                break;

            case NEWER_FORMAT:
                what = "NEWER FORMAT";
                break;

            case UNREADABLE:
                what = "UNREADABLE";
                break;

            default:
                what = "unfinished end";
                break;
        }

        return what + " in " + Text.harmless(finding.file()) + " at offset " + Text.number(finding.offset()) +
            (finding.sequence() < 0 ? "" : ", where record " + Text.number(finding.sequence()) + " is due");
    }

    private static void line(final PrintWriter out, final String name, final String text)
    {
        Text.line(out, "  " + name, text);
    }

    private static void putKnown(final ObjectNode node, final String name, final long value)
    {
        if (value >= 0)
        {
            node.put(name, value);
        }
    }
}
