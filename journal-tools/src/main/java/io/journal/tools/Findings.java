package io.journal.tools;

import java.io.PrintWriter;
import java.nio.file.Path;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.Verdict;

/**
 * Prints the findings of a verification.
 */
final class Findings
{
    private Findings()
    {
    }

    static void print(final PrintWriter out, final Verdict verdict, final Path journal)
    {
        for (final Finding finding : verdict.findings())
        {
            out.println(Text.folded(title(finding), 2));
            line(out, "expected", finding.expected());
            line(out, "found", Text.harmless(finding.found()));
            if (finding.lost() > 0)
            {
                line(out, "unverified",
                    range(finding.place().sequence(), finding.place().sequence() + finding.lost() - 1));
            }
            line(out, "means", finding.meaning());
            final String remedy = RepairHint.of(finding, journal);
            if (!remedy.isEmpty())
            {
                Text.command(out, "  repair", remedy);
            }
            out.println();
        }
    }

    static void write(final ObjectNode object, final Verdict verdict, final Path journal)
    {
        final ArrayNode findings = object.putArray("findings");
        for (final Finding finding : verdict.findings())
        {
            final ObjectNode node = findings.addObject()
                .put("severity", finding.severity().name())
                .put("file", finding.place().file())
                .put("offset", finding.place().offset());
            putKnown(node, "position", finding.place().position());
            putKnown(node, "sequence", finding.place().sequence());
            putKnown(node, "lost", finding.lost());
            node.put("expected", finding.expected()).put("found", finding.found()).put("meaning", finding.meaning());
            final String remedy = RepairHint.of(finding, journal);
            if (!remedy.isEmpty())
            {
                node.put("repair", remedy);
            }
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

            case UNUSABLE:
                what = "UNUSABLE:";
                break;

            case NEWER_FORMAT:
                what = "NEWER FORMAT";
                break;

            case UNREADABLE:
                what = "UNREADABLE";
                break;

            case NOTE:
                what = "note on";
                break;

            default:
                what = "torn tail";
                break;
        }

        final boolean isWithin = Severity.UNUSABLE != finding.severity() && Severity.NOTE != finding.severity();
        return what + (isWithin ? " in " : " ") + Text.harmless(finding.place().file()) + " at offset " +
            Text.number(finding.place().offset()) +
            (finding.place().sequence() < 0 ? "" : ", record " + Text.number(finding.place().sequence()));
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
