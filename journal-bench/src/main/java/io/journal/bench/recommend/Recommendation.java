package io.journal.bench.recommend;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.journal.JournalBuilder;
import io.journal.bench.journal.BackendConfig;

/**
 * The recommendation, as code, as a settings file, and as values of a result.
 *
 * @param reasons as of the verdict, and more.
 * @param table   as of the verdict, and more.
 */
record Recommendation(
    Requirement requirement, Verdict verdict, int segmentLength, ForceAdvice force, List<String> reasons,
    List<String> table)
{
    private static final int MAX_COMMENT = 200;
    private static final int KIB = 1024;

    /** Code that opens a journal with these settings. */
    String snippet()
    {
        final BackendConfig chosen = verdict.recommended();
        final StringBuilder lines = new StringBuilder();
        lines.append("final Journal journal = Journal.builder(Path.of(\"journal\"))\n");
        lines.append("    .backend(Backend.").append(chosen.backend()).append(")\n");
        if (0 != chosen.writeWindow())
        {
            lines.append("    .writeWindow(").append(chosen.writeWindow() / KIB).append(" * 1024)\n");
        }
        if (JournalBuilder.DEFAULT_SEGMENT_LENGTH != segmentLength)
        {
            lines.append("    .segmentLength(").append(segmentLength / KIB).append(" * 1024)\n");
        }
        lines.append("    .force(").append(force.code()).append(")\n");
        lines.append("    .open();\n");

        return lines.toString();
    }

    /** By name, as in {@link JournalBuilder#settings}. */
    Map<String, String> settings()
    {
        final BackendConfig chosen = verdict.recommended();
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("backend", chosen.backend().name());
        settings.put("writeWindow", Integer.toString(chosen.writeWindow()));
        settings.put("segmentLength", Integer.toString(segmentLength));
        settings.put("force", force.setting());
        return settings;
    }

    /** Settings, ties and reasons, for a result file. */
    Map<String, String> values()
    {
        final Map<String, String> values = settings();
        values.put("recommended", verdict.recommended().label());
        values.put("ties", Verdict.labels(verdict.ties()));
        values.put("untried", Verdict.labels(verdict.untried()));
        values.put("reasons", String.join("\n", reasons));
        values.put("table", String.join("\n", table));
        return values;
    }

    Map<String, String> parameters()
    {
        // Sorted, so that equal runs write equal files.
        return new TreeMap<>(Map.of(
            "survive", requirement.durability().name().toLowerCase(Locale.ROOT),
            "recordLength", Integer.toString(requirement.recordLength()),
            "rate", requirement.isRateStated() ? Long.toString(requirement.rate()) : "unknown"));
    }

    /**
     * Text of a settings file.
     *
     * @param comments header lines: origin, date, machine.
     */
    String file(final List<String> comments)
    {
        final StringBuilder lines = new StringBuilder();
        comments.forEach((comment) -> comment(lines, comment));
        reasons.forEach((reason) -> comment(lines, reason));
        table.stream().filter((line) -> !line.isEmpty()).forEach((line) -> comment(lines, line));
        settings().forEach((key, value) -> lines.append(key).append('=').append(value).append('\n'));
        return lines.toString();
    }

    private static void comment(final StringBuilder lines, final String text)
    {
        // A line break in a file name would end the comment and inject a setting.
        final String line = text.stripTrailing().replaceAll("\\p{Cntrl}", "?");
        lines.append("# ").append(line, 0, Math.min(MAX_COMMENT, line.length())).append('\n');
    }
}
