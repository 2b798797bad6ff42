// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.type.TypeReference;
import io.journal.bench.report.Page.Run;

/**
 * The summary at the top of the page: the recommendation, and for each article its result and the one of this machine.
 */
record Summary(List<Run> runs)
{
    private static final String VERDICT = "recommended";
    private static final Pattern SEGMENTS = Pattern.compile("segment lengths|[Ss]horter segments|append clearly");

    /**
     * A result of the command recommend.
     *
     * @param verdict   the case that holds its conclusion.
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
            // Committed results of earlier versions also compared segment lengths.
            return values().getOrDefault("reasons", "").lines().filter((each) -> !SEGMENTS.matcher(each).find())
                .toList();
        }

        String need()
        {
            return DisplayNames.words(verdict.parameters()).replace("survive ", "survives loss of ")
                .replace("loss of process", "the end of the process").replace("unknown/s", "no rate specified");
        }

        /** What is required, and where. */
        private List<Map<String, String>> setting()
        {
            return List.of(verdict.parameters(), run.machine());
        }

        private Instant time()
        {
            return OffsetDateTime.parse(run.file().fact("date")).toInstant();
        }
    }

    /** The newest recommendation of what was asked most often, preferring runs on a device to runs in memory. */
    Optional<Recommendation> recommendation()
    {
        final List<Recommendation> all = runs.stream().flatMap((run) -> run.file().cases().stream()
            .filter((each) -> !each.texts(VERDICT).isEmpty()).limit(1)
            .map((verdict) -> new Recommendation(run, verdict))).toList();
        final Map<List<Map<String, String>>, Long> counts = all.stream().collect(Collectors.groupingBy(
            Recommendation::setting, Collectors.counting()));
        return all.stream().max(Comparator
            .comparing((Recommendation each) -> "durable".equals(each.run().file().profile()))
            .thenComparing((each) -> counts.get(each.setting()))
            .thenComparing(Recommendation::time));
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
     * A chart, with what its run answers.
     *
     * @param article it is compared with; null if there is none.
     */
    record Answer(Article article, ResultFile run, Chart chart)
    {
        static Answer of(final Article article, final Run run)
        {
            return new Answer(article, run.file(), run.charts().stream()
                .filter((chart) -> null == article || chart.name().contains(article.chart())).findFirst()
                .orElse(run.charts().get(0)));
        }

        String now()
        {
            return new Tables(run).answer();
        }
    }

    /** Backends compared with raw file APIs, for the shortest records: by a full-size run with the fewest cases. */
    Optional<Answer> overview()
    {
        return drawn().filter((run) -> "journal".equals(run.file().experiment()))
            .min(Comparator.comparing((Run run) -> run.file().isScaled())
                .thenComparing((run) -> run.file().cases().size()))
            .map((run) -> Answer.of(null, run));
    }

    List<Answer> articles()
    {
        final List<Article> articles = Page.json("published/articles.json", new TypeReference<>()
        {
        });
        return articles.stream().flatMap((article) -> article.results().stream()
            .flatMap((name) -> drawn().filter((run) -> name.equals(run.file().name()))).limit(1)
            .map((run) -> Answer.of(article, run))).toList();
    }

    private Stream<Run> drawn()
    {
        return runs.stream().filter((run) -> !run.charts().isEmpty());
    }
}
