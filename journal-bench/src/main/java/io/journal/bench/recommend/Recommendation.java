package io.journal.bench.recommend;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
        return "final Journal journal = Journal.builder(Path.of(\"journal\"))\n" +
            "    .backend(Backend." + chosen.backend() + ")\n" +
            (0 == chosen.writeWindow() ? "" : "    .writeWindow(" + chosen.writeWindow() / KIB + " * 1024)\n") +
            (JournalBuilder.DEFAULT_SEGMENT_LENGTH == segmentLength ? "" :
                "    .segmentLength(" + segmentLength / KIB + " * 1024)\n") +
            "    .force(" + force.code() + ")\n" +
            "    .open();\n";
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
        final Stream<String> explained = Stream.of(comments, reasons, table).flatMap(List::stream)
            // A line break in a file name would end the comment and inject a setting.
            .map((line) -> line.stripTrailing().replaceAll("\\p{Cntrl}", "?")).filter((line) -> !line.isEmpty())
            .map((line) -> "# " + line.substring(0, Math.min(MAX_COMMENT, line.length())));
        final Stream<String> settings = settings().entrySet().stream().map(Object::toString);
        return Stream.concat(explained, settings).collect(Collectors.joining("\n", "", "\n"));
    }
}
