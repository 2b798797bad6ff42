package io.journal.bench.report;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;

/**
 * A statement of an article or a comment, as a ratio between two selections of cases that is computed from results.
 *
 * @param id         as in the list of experiments.
 * @param says       the claim, in our words.
 * @param experiment that tests it.
 * @param profiles   that test it, the best first.
 * @param command    that measures it.
 * @param keys       values it is about, each evaluated.
 * @param where      cases it is about.
 * @param of         selection of cases in the numerator.
 * @param take       case that counts, chosen by the other rounds: best, worst, or first for its first round.
 * @param to         selection of cases in the denominator; for first: the other rounds.
 * @param toTake     case that counts, chosen by the other rounds: best or worst.
 * @param than       other cases whose ratio of the same selections is divided by: compares two gains.
 * @param each       parameters whose values are evaluated separately.
 * @param atLeast    lower bound of the ratio; 0: none.
 * @param atMost     upper bound of the ratio; 0: none. A quantitative claim has both: "within about 10 %" is 0.9 to
 *                   1/0.9, "about N times" is 0.75 N to N/0.75, "about 10 % slower" is 5 to 15 %.
 * @param isOfSome   holds if it holds in any group.
 */
record Claim(
    String id,
    String says,
    String experiment,
    List<String> profiles,
    String command,
    List<String> keys,
    Map<String, List<String>> where,
    Map<String, List<String>> of,
    String take,
    Map<String, List<String>> to,
    String toTake,
    Than than,
    List<String> each,
    double atLeast,
    double atMost,
    @JsonProperty("some") boolean isOfSome)
{
    /** Value and cases of a second ratio, for claims that compare two gains. */
    record Than(String key, Map<String, List<String>> where)
    {
    }

    Claim
    {
        where = null == where ? Map.of() : where;
        of = null == of ? Map.of() : of;
        to = null == to ? Map.of() : to;
        each = null == each ? List.of() : each;
        take = null == take ? "best" : take;
        toTake = null == toTake ? "best" : toTake;
        atMost = 0 == atMost ? Double.MAX_VALUE : atMost;
    }

    /**
     * All claims, in the order of the articles.
     */
    static List<Claim> all()
    {
        return Resources.json("published/claims.json", new TypeReference<>()
        {
        });
    }

    /**
     * Whether it compares the first round with the others.
     */
    boolean isOfFirst()
    {
        return "first".equals(take);
    }

    /**
     * Whether it selects or groups cases by a parameter.
     */
    boolean names(final String parameter)
    {
        return where.containsKey(parameter) || of.containsKey(parameter) || to.containsKey(parameter) ||
            each.contains(parameter);
    }

    /**
     * Whether the ratio has both bounds.
     */
    boolean isTwoSided()
    {
        return atLeast > 0 && atMost < Double.MAX_VALUE;
    }

    boolean admits(final double ratio)
    {
        return atLeast <= ratio && ratio <= atMost;
    }

    /**
     * The claimed ratio, in words.
     */
    String wanted()
    {
        final String least = shortest(atLeast);
        return Double.MAX_VALUE == atMost ? "at least " + least : 0 == atLeast ? "at most " + shortest(atMost) :
            least + " to " + shortest(atMost);
    }

    private static String shortest(final double value)
    {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }
}
