package io.journal.bench.report;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Result of a claim on this machine.
 *
 * @param findings  one per group of cases.
 * @param run       they were computed from; null if there is none.
 * @param caseCount largest number of cases compared with each other.
 */
record ClaimResult(Claim claim, Verdict verdict, List<Finding> findings, ResultFile run, int caseCount)
{
    private static final int FEW_ROUNDS = 5;

    enum Verdict
    {
        HOLDS("holds here", "hold here"),
        FAILS("does not hold here", "do not hold"),
        MIXED("holds in part here", "hold in part"),
        OPEN("inconclusive here", "are inconclusive"),
        NOT_RUN("not run here", "were not run");

        private final String words;
        private final String plural;

        Verdict(final String words, final String plural)
        {
            this.words = words;
            this.plural = plural;
        }

        /**
         * Numbers of claims, by verdict.
         */
        static Map<Verdict, String> counts(final List<ClaimResult> results)
        {
            final Map<Verdict, String> counts = new EnumMap<>(Verdict.class);
            for (final Verdict verdict : values())
            {
                final long count = results.stream().filter((each) -> verdict == each.verdict()).count();
                if (count > 0)
                {
                    counts.put(verdict, count + " " + verdict.plural);
                }
            }
            return counts;
        }
    }

    /**
     * Result for one group of cases, in words.
     *
     * @param rounds     or passes.
     * @param isOfOneRun whose passes are not independent rounds.
     */
    record Finding(Verdict verdict, int rounds, boolean isOfOneRun, String words)
    {
    }

    /**
     * Whether it rests on a single run: a faithful one, or a first pass.
     */
    boolean isOfOneRun()
    {
        return findings.stream().anyMatch(Finding::isOfOneRun);
    }

    /**
     * Whether it rests on few rounds: weak evidence, drawn pale.
     */
    boolean isWeak()
    {
        return findings.stream().anyMatch((finding) -> finding.rounds() < FEW_ROUNDS);
    }

    long conclusiveCount()
    {
        return findings.stream().filter((finding) -> finding.rounds() >= ClaimRatio.MIN_ROUNDS).count();
    }

    /**
     * The finding if there is only one, else the verdict.
     */
    String summary()
    {
        return 1 == findings.size() ? findings.get(0).words() : verdict.words + (isOfOneRun() ? ", in one run" : "");
    }

    /**
     * The findings if there are several.
     */
    List<String> details()
    {
        return findings.stream().map(Finding::words).filter((words) -> findings.size() > 1).toList();
    }
}
