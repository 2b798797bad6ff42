package io.journal.bench.report;

import io.journal.bench.run.Interval;
import java.util.List;
import java.util.Locale;

/**
 * Result of a claim on this machine.
 *
 * @param findings one per group of cases.
 * @param run      they were computed from; null if there is none.
 */
record ClaimResult(Claim claim, Verdict verdict, List<Finding> findings, ResultFile run)
{
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

        String words()
        {
            return words;
        }

        String plural()
        {
            return plural;
        }
    }

    /**
     * Result for one group of cases.
     *
     * @param group      in words; empty if there is only one.
     * @param ratio      of the rounds; null if it could not be computed, a point if it is of one run.
     * @param rounds     or passes.
     * @param isOfOneRun whose passes are not independent rounds, so there is no interval.
     * @param note       explanation.
     */
    record Finding(
        String group, Verdict verdict, Interval ratio, int rounds, boolean isOfOneRun, String note)
    {
        String words()
        {
            return (group.isEmpty() ? "" : group + ": ") + verdictInWords();
        }

        private String verdictInWords()
        {
            if (null == ratio)
            {
                return "inconclusive: " + note;
            }

            final String times = Unit.number(ratio.median()) + "x" + (isOfOneRun && ratio.low() == ratio.high() ? "" :
                " [" + Unit.number(ratio.low()) + ".." + Unit.number(ratio.high()) + "]");
            if (isOfOneRun)
            {
                return switch (verdict)
                {
                    case HOLDS -> "holds in this one run: " + times + "; " + note;
                    case FAILS -> "does not hold in this one run: " + times + "; " + note;
                    default -> rounds < ClaimEvaluator.MIN_ROUNDS ? "inconclusive: " + times + "; " + note :
                        "inconclusive in this one run, too noisy: " + times + "; " + note;
                };
            }

            final String confidence = String.format(Locale.ROOT, ", %.0f %%", 100 * ratio.confidence());
            return switch (verdict)
            {
                case HOLDS -> "holds here, by " + times + confidence;
                case FAILS -> "does not hold here: " + times + confidence;
                default -> rounds < ClaimEvaluator.MIN_ROUNDS ? "inconclusive: " + times + "; " + note :
                    "inconclusive, too noisy: " + times + confidence + ", " +
                        (note.isEmpty() ? "partly outside the bounds" : note);
            };
        }
    }

    /**
     * Whether it rests on a single run: a faithful one, or a first pass.
     */
    boolean isOfOneRun()
    {
        return findings.stream().anyMatch(Finding::isOfOneRun);
    }

    /**
     * Whether it rests on few rounds: weak evidence.
     */
    boolean isWeak()
    {
        return findings.stream().anyMatch((finding) -> finding.rounds() < 5);
    }

    /**
     * The finding if there is only one, else the verdict.
     */
    String summary()
    {
        return 1 == findings.size() ? findings.get(0).words() : verdict.words() + (isOfOneRun() ? ", in one run" : "");
    }
}
