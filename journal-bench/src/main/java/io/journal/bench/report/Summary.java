// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import com.fasterxml.jackson.core.type.TypeReference;
import io.journal.bench.report.Page.Run;

/**
 * The summary at the top of the page: the recommendation, and for each article its result and the result of this
 * machine.
 */
record Summary(List<Run> runs)
{
    private static final Pattern SEGMENTS = Pattern.compile("segment lengths|[Ss]horter segments|append clearly");

    /**
     * A result of the command recommend.
     *
     * @param verdict the case that holds its conclusion.
     */
    record Recommendation(Run run, CaseResult verdict)
    {
        Map<String, String> values()
        {
            return verdict.rounds().get(verdict.rounds().firstKey());
        }

        String segmentLength()
        {
            return DisplayNames.bytes(values().get("segmentLength"));
        }

        List<String> reasons()
        {
            // Leaves out reasons about segment lengths, which older committed results also compared.
            return values().getOrDefault("reasons", "").lines().filter((each) -> !SEGMENTS.matcher(each).find())
                .toList();
        }

        String need()
        {
            return DisplayNames.words(verdict.parameters()).replace("survive ", "survives loss of ")
                .replace("loss of process", "the end of the process").replace("unknown/s", "no rate specified");
        }
    }

    /** Returns the newest of the runs with the plainest name, on a device if there are any. */
    Optional<Recommendation> recommendation()
    {
        return runs.stream().flatMap((run) -> run.file().verdict().map((verdict) -> new Recommendation(run, verdict))
            .stream()).max(Comparator
                .comparing((Recommendation each) -> "durable".equals(each.run().file().profile()))
                .thenComparing((each) -> -each.run().file().name().length())
                .thenComparing((each) -> OffsetDateTime.parse(each.run().file().fact("date")).toInstant()));
    }

    /**
     * An article, and its result in our words.
     *
     * @param results that are compared with it: the first that is there.
     * @param chart   part of the name of their chart.
     */
    record Article(String title, String then, List<String> results, String chart)
    {
    }

    /**
     * A chart, with the question that its run answers.
     *
     * @param article it is compared with; null if there is none.
     */
    record Answer(Article article, ResultFile run, Chart chart)
    {
        String now()
        {
            return new Tables(run).answer();
        }
    }

    /**
     * A comparison of backends with raw file APIs for the shortest records, from a full-size run with the fewest cases.
     */
    Optional<Answer> overview()
    {
        return runs.stream().filter((run) -> "journal".equals(run.file().experiment()) && !run.charts().isEmpty())
            .min(Comparator.comparing((Run run) -> run.file().isScaled())
                .thenComparing((run) -> run.file().cases().size()))
            .map((run) -> new Answer(null, run.file(), run.charts().get(0)));
    }

    List<Answer> articles()
    {
        final List<Article> articles = Page.json("published/articles.json", new TypeReference<>()
        {
        });
        return articles.stream().flatMap((article) -> article.results().stream()
            .flatMap((name) -> runs.stream().filter((run) -> name.equals(run.file().name())))
            .flatMap((run) -> run.charts().stream().filter((chart) -> chart.name().contains(article.chart()))
                .map((chart) -> new Answer(article, run.file(), chart)))
            .limit(1)).toList();
    }
}
