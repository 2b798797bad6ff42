package io.journal.bench.report;

import io.journal.bench.run.Interval;
import java.util.List;
import java.util.Locale;

/**
 * What this machine's results say of a claim.
 *
 * @param findings for each group of cases that the claim is about.
 * @param run      they were computed from; null if there is none.
 */
record Judgement(Claim claim, Verdict verdict, List<Finding> findings, ResultFile run)
{
    /** What can be said. */
    enum Verdict
    {
        HOLDS("holds here", "hold here"),
        FAILS("does not hold here", "do not hold"),
        MIXED("holds in part here", "hold in part"),
        OPEN("cannot be told", "cannot be told"),
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

        /**
         * What several claims of this verdict do.
         */
        String plural()
        {
            return plural;
        }
    }

    /**
     * Of one group.
     *
     * @param group      in words; empty if there is one only.
     * @param ratio      of the rounds; null if it could not be computed, without width if it is of one run.
     * @param rounds     or passes.
     * @param isOfOneRun whose passes are no independent rounds, so there is no interval.
     * @param note       why it cannot be told, or what it is of.
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
                return "cannot be told: " + note;
            }

            final String times = Unit.number(ratio.median()) + "x" + (isOfOneRun && ratio.low() == ratio.high() ? "" :
                " [" + Unit.number(ratio.low()) + ".." + Unit.number(ratio.high()) + "]");
            if (isOfOneRun)
            {
                return switch (verdict)
                {
                    case HOLDS -> "holds in this one run: " + times + "; " + note;
                    case FAILS -> "does not hold in this one run: " + times + "; " + note;
                    default -> rounds < Judge.LEAST_ROUNDS ? "cannot be told: " + times + "; " + note :
                        "too noisy to tell, in this one run: " + times + "; " + note;
                };
            }

            final String confidence = String.format(Locale.ROOT, ", %.0f %%", 100 * ratio.confidence());
            return switch (verdict)
            {
                case HOLDS -> "holds here, by " + times + confidence;
                case FAILS -> "does not hold here: " + times + confidence;
                default -> rounds < Judge.LEAST_ROUNDS ? "cannot be told: " + times + "; " + note :
                    "too noisy to tell: " + times + confidence + ", " +
                        (note.isEmpty() ? "partly outside of what is claimed" : note);
            };
        }
    }

    /**
     * Whether it is of one run alone: of the faithful profile, or of a first pass.
     */
    boolean isOfOneRun()
    {
        return findings.stream().anyMatch(Finding::isOfOneRun);
    }

    /**
     * Whether it rests on few rounds: a hint, no evidence.
     */
    boolean isWeak()
    {
        return findings.stream().anyMatch((finding) -> finding.rounds() < 5);
    }

    /**
     * All that is to be said if there is one finding, else what they come to.
     */
    String summary()
    {
        return 1 == findings.size() ? findings.get(0).words() : verdict.words() + (isOfOneRun() ? ", in one run" : "");
    }
}
