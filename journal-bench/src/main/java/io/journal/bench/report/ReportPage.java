package io.journal.bench.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.journal.bench.report.Judgement.Verdict;
import io.journal.bench.run.Spread;

/**
 * The page: what ran where, the verdicts, then each experiment with its charts, how to read them, and its numbers.
 */
final class ReportPage
{
    private static final int FEW_ROUNDS = 5;
    private static final List<String> FACTS_OF_A_RUN = List.of("date", "load", "device", "files", "warning");

    private static final Map<Character, String> ARTICLES = Map.of(
        'T', "Java Sequential IO Performance, 2011", 'C', "Comments on it", 'P', "PureSol: buffer sizes of streams",
        'R', "java-io-benchmark: streams and channels", 'N', "How to read files quickly, 2008");

    private final Html html = new Html();
    private final Map<ResultFile, List<Chart>> runs;
    private final List<Judgement> judgements;
    private final List<String> warnings;

    ReportPage(final Map<ResultFile, List<Chart>> runs, final List<Judgement> judgements, final List<String> warnings)
    {
        this.runs = runs;
        this.judgements = judgements;
        this.warnings = warnings;
    }

    String text() throws IOException
    {
        html.markup("<!DOCTYPE html>\n").open("html", "lang", "en").open("head");
        html.markup("<meta charset=\"utf-8\">\n");
        html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.element("title", "Journal: what was measured");
        html.open("style").markup(Resources.text("report.css")).markup(Resources.text("chart.css")).close("style");
        html.close("head").open("body");
        head();
        html.open("main");
        index();
        verdicts();
        runs.forEach(this::run);
        new PublishedTables(html).write();
        html.close("main");
        html.open("footer", "class", "faint").text("Written by journal-bench from the files named above. Charts are " +
            "also in the directory charts beside this page.").close("footer");
        html.close("body").close("html");
        return html.toString();
    }

    private void head()
    {
        html.open("header", "class", "page");
        html.element("h1", "What was measured");
        for (final Map.Entry<Map<String, String>, List<ResultFile>> entry : machines().entrySet())
        {
            html.open("section", "class", "card", "aria-label", "Machine");
            html.open("dl");
            entry.getKey().forEach(this::fact);
            html.close("dl");
            if (machines().size() > 1)
            {
                html.element("p", "Measured there: " + String.join(", ", entry.getValue().stream()
                    .map(ResultFile::name).toList()));
            }
            html.close("section");
        }

        for (final String warning : allWarnings())
        {
            warn(warning);
        }
        html.close("header");
    }

    /**
     * Runs by what is the same for all of one machine.
     */
    private Map<Map<String, String>, List<ResultFile>> machines()
    {
        final Map<Map<String, String>, List<ResultFile>> machines = new LinkedHashMap<>();
        for (final ResultFile run : runs.keySet())
        {
            final Map<String, String> facts = new LinkedHashMap<>(run.machine());
            facts.keySet().removeAll(FACTS_OF_A_RUN);
            facts.replaceAll((name, fact) -> Comparison.steady(fact));
            machines.computeIfAbsent(facts, (key) -> new ArrayList<>()).add(run);
        }

        return machines;
    }

    private Set<String> allWarnings()
    {
        final Set<String> all = new LinkedHashSet<>(warnings);
        runs.keySet().forEach((run) ->
        {
            if (!run.fact("warning").isEmpty())
            {
                all.add(run.name() + ": " + run.fact("warning"));
            }
        });
        if (runs.keySet().stream().anyMatch(ResultFile::isScaled))
        {
            all.add("Scaled runs are among these, for a first look only: their numbers are not those of the " +
                "experiments they are named after.");
        }
        if (runs.keySet().stream().anyMatch(Explanations::hasApparentRates))
        {
            all.add("Rates called apparent are those of the page cache: what is written has not reached the " +
                "device, and what is read did not come from it.");
        }
        if (machines().size() > 1)
        {
            all.add("These are results of more than one machine, file system or JDK: see which.");
        }

        return all;
    }

    private void index()
    {
        html.open("section", "class", "card", "aria-label", "Index");
        html.element("h2", "At a glance");
        html.open("div", "class", "scroll").open("table").open("thead").open("tr");
        List.of("experiment", "profile", "when").forEach((name) -> html.element("th", name));
        List.of("cases", "rounds").forEach((name) -> html.element("th", name, "class", "number"));
        html.close("tr").close("thead").open("tbody");
        for (final ResultFile run : runs.keySet())
        {
            html.open("tr").open("th", "scope", "row").open("a", "href", "#" + run.name()).text(run.experiment())
                .close("a").close("th");
            html.element("td", run.profile() + (run.isScaled() ? ", scaled to " + run.scale() : ""));
            html.element("td", when(run));
            html.element("td", Integer.toString(run.cases().size()), "class", "number");
            html.element("td", Integer.toString(run.roundCount()), "class", "number");
            html.close("tr");
        }
        html.close("tbody").close("table").close("div");
        html.open("p").open("a", "href", "#verdicts").text("Of " + judgements.size() + " claims of the articles")
            .markup("</a>");
        for (final Verdict verdict : Verdict.values())
        {
            count(verdict, false);
            count(verdict, true);
        }
        html.close("p").close("section");
    }

    private void count(final Verdict verdict, final boolean isOfOneRun)
    {
        final long count = judgements.stream()
            .filter((each) -> verdict == each.verdict() && isOfOneRun == each.isOfOneRun()).count();
        if (count > 0)
        {
            html.markup("<br>").open("span", "class", "verdict " + verdict.name())
                .text(count + " " + verdict.plural() + (isOfOneRun ? ", in one run each" : "")).markup("</span>");
        }
    }

    private void verdicts()
    {
        html.open("section", "id", "verdicts").element("h2", "What the articles claim, and what holds here");
        html.element("p",
            "Each claim is a ratio of rates, how often as fast one is as another, taken within a round; the best of " +
                "several is chosen by the other rounds. The interval in brackets encloses the true ratio with the " +
                "confidence behind it, 75 % of three rounds and 94 % of five; a claim holds if all of it is within " +
                "the bounds that stand below the claim, does not if none of it is, and else the rounds are too noisy " +
                "to tell. Passes of a faithful run are no independent rounds: its ratio is of medians and is said of " +
                "that one run; where a claim has two bounds, the range that the passes leave open is in brackets " +
                "and has to be within them.");
        html.open("div", "class", "card scroll").open("table", "class", "verdicts");
        char article = 0;
        for (final Judgement each : judgements)
        {
            final char of = each.claim().id().charAt(0);
            if (of != article)
            {
                html.markup(0 == article ? "" : "</tbody>\n").open("tbody").open("tr");
                html.element("th", ARTICLES.getOrDefault(of, ""), "colspan", "3", "scope", "rowgroup", "class",
                    "group").close("tr");
                article = of;
            }
            verdict(each);
        }
        html.close("tbody").close("table").close("div").close("section");
    }

    private void verdict(final Judgement judgement)
    {
        final Claim claim = judgement.claim();
        html.open("tr").element("td", claim.id(), "class", "faint");
        html.open("th", "scope", "row").text(claim.says()).open("div", "class", "faint")
            .text("ratio " + claim.wanted()).close("div").close("th");
        html.open("td").element("span", judgement.summary(), "class", "verdict " + judgement.verdict().name());
        if (Verdict.NOT_RUN == judgement.verdict())
        {
            html.element("code", claim.command());
        }
        else
        {
            if (judgement.findings().size() > 1)
            {
                html.open("ul");
                judgement.findings().forEach((finding) -> html.element("li", finding.words()));
                html.close("ul");
            }
            html.open("div", "class", "faint").open("a", "href", "#" + judgement.run().name())
                .text(judgement.run().experiment() + ", " + judgement.run().profile()).markup("</a>")
                .text(judgement.run().isScaled() ? ", a scaled run" : "").close("div");
        }
        html.close("td").close("tr");
    }

    private void run(final ResultFile run, final List<Chart> charts)
    {
        html.open("section", "id", run.name());
        html.element("h2", run.experiment() + ", " + run.profile());
        html.element("p", Explanations.of(run));
        ownWarnings(run);
        recommendation(run);
        html.open("div", "class", "charts");
        for (final Chart chart : charts)
        {
            html.open("figure", "class", "card").markup(SvgDrawing.inPage(chart)).close("figure");
        }
        html.close("div");
        html.open("details").element("summary", "Numbers, and how they were taken");
        html.open("dl");
        fact("plan", run.plan());
        fact("command", run.command());
        FACTS_OF_A_RUN.forEach((name) -> fact(name, run.fact(name)));
        fact("file", run.file().getFileName() + ", version " + run.version());
        html.close("dl");
        numbers(run);
        html.close("details").close("section");
    }

    /**
     * What was recommended, why, and the figures that decided, if the run ended with that.
     */
    private void recommendation(final ResultFile run)
    {
        for (final Measured each : run.cases())
        {
            if (!each.texts("recommended").isEmpty())
            {
                html.open("div", "class", "card");
                each.texts("recommended").forEach((text) -> html.element("p", "Recommended: " + text));
                html.open("ul");
                each.texts("reasons").forEach((text) -> text.lines().forEach((line) -> html.element("li", line)));
                html.close("ul");
                each.texts("table").forEach((text) -> html.element("pre", text));
                html.close("div");
            }
        }
    }

    private void ownWarnings(final ResultFile run)
    {
        if (run.cases().isEmpty())
        {
            warn("The run ended before its first case did.");
        }
        else if (run.roundCount() < FEW_ROUNDS && !"faithful".equals(run.profile()))
        {
            warn(String.format(
                Locale.ROOT,
                "%d %s: the extremes enclose the true median with a confidence of no more than %.0f %%.",
                run.roundCount(), 1 == run.roundCount() ? "round" : "rounds",
                100 * (1 - Math.pow(2, 1 - run.roundCount()))));
        }
        final List<String> above = new ArrayList<>();
        aboveDevice(run).forEach((key, count) -> above.add(Names.value(key, run.profile()) + ", " + count + " times"));
        if (!above.isEmpty())
        {
            warn("Above the device's own rate, so memory had a part in it: " + String.join("; ", above) + ".");
        }
        if (run.isScaled())
        {
            warn("Scaled to " + run.scale() + " of the whole: for a first look only.");
        }
    }

    /**
     * How often a value was marked when it was measured.
     */
    private static Map<String, Integer> aboveDevice(final ResultFile run)
    {
        final Map<String, Integer> counts = new TreeMap<>();
        run.cases().forEach((each) -> each.texts("aboveDevice").forEach((keys) ->
        {
            for (final String key : keys.split(" "))
            {
                counts.merge(key, 1, Integer::sum);
            }
        }));
        return counts;
    }

    private void numbers(final ResultFile run)
    {
        final List<String> keys = run.keys().stream().sorted().toList();
        html.open("div", "class", "scroll").open("table").open("thead").open("tr").element("th", "median [min..max]");
        keys.forEach((key) -> html.element("th", key, "class", "number"));
        html.close("tr").close("thead").open("tbody");
        for (final Measured each : run.cases())
        {
            html.open("tr").element("th", each.label(), "scope", "row");
            for (final String key : keys)
            {
                html.element("td", each.has(key) ? range(each.spread(key)) : "–", "class", "number");
            }
            html.close("tr");
        }
        html.close("tbody").close("table").close("div");
    }

    static String range(final Spread value)
    {
        return value.min() == value.max() ? Unit.number(value.median()) :
            Unit.number(value.median()) + " [" + Unit.number(value.min()) + ".." + Unit.number(value.max()) + "]";
    }

    private void fact(final String name, final String value)
    {
        if (!value.isEmpty())
        {
            html.element("dt", name).element("dd", value);
        }
    }

    private void warn(final String text)
    {
        html.element("p", text, "class", "warning", "role", "note");
    }

    private static String when(final ResultFile run)
    {
        return run.fact("date").replaceAll("T(\\d\\d:\\d\\d).*", " $1");
    }
}
