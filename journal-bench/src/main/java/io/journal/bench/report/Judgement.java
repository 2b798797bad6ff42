package io.journal.bench.report;

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
     * @param group in words; empty if there is one only.
     * @param ratio of the rounds; null if it could not be computed.
     * @param why   it could not.
     */
    record Finding(String group, Verdict verdict, Interval ratio, int rounds, String why)
    {
        String words()
        {
            return (group.isEmpty() ? "" : group + ": ") + verdictInWords();
        }

        private String verdictInWords()
        {
            if (null == ratio)
            {
                return "cannot be told: " + why;
            }

            final String times = String.format(
                Locale.ROOT, "%sx [%s..%s]", Unit.number(ratio.median()), Unit.number(ratio.low()),
                Unit.number(ratio.high()));
            return switch (verdict)
            {
                case HOLDS -> "holds here, by " + times;
                case FAILS -> "does not hold here: " + times;
                default -> "cannot be told: " + times + (why.isEmpty() ? " lies on both sides of what is claimed" :
                    "; " + why);
            };
        }
    }

    /**
     * All that is to be said if there is one finding, else what they come to.
     */
    String summary()
    {
        return 1 == findings.size() ? findings.get(0).words() : verdict.words();
    }
}
