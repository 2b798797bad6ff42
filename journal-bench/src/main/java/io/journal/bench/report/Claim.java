package io.journal.bench.report;

import java.io.IOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * What an article or a comment says, as a ratio that can be computed from results: how often as fast one selection of
 * cases is as another.
 *
 * @param id         as in the list of experiments.
 * @param says       the claim, in our words.
 * @param experiment it can be told from.
 * @param profiles   that can tell it, the best first.
 * @param command    that measures it.
 * @param keys       values it is about, each judged.
 * @param where      which cases it is about.
 * @param of         which of these are said to be faster or slower.
 * @param take       which of them counts, by the other rounds: best, worst, or first, which is their first round.
 * @param to         which ones they are compared with; of first: the other rounds.
 * @param toTake     which of them counts, by the other rounds: best or worst.
 * @param than       whose ratio, of the same two selections, this one is compared with: by how much one gains more.
 * @param each       parameters whose values are judged apart.
 * @param atLeast    of the ratio, where the claim holds; 0: no lower bound.
 * @param atMost     of the ratio, where the claim holds; 0: no upper bound. A sentence that says how much has both:
 *                   "within about 10 %" is 0.9 to 1/0.9, "about N times" is 0.75 N to N/0.75, "about 10 % slower" is
 *                   5 to 15 %.
 * @param isOfSome   holds if it holds anywhere.
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
    /** Another value of other cases, for claims that two gains are alike. */
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
     * All that are judged, in the order of the articles.
     */
    static List<Claim> all() throws IOException
    {
        return new ObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .readValue(Resources.text("published/claims.json"), new TypeReference<>()
            {
            });
    }

    /**
     * Whether it is of a first round beside the others.
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
     * Whether the ratio is bounded from below and from above.
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
     * The ratio that it claims, in words.
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
