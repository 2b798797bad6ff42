package io.journal.bench.report;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.journal.bench.report.Claim.Verdict;
import io.journal.bench.run.RawFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ClaimTest
{
    private static final int ROUNDS = 5;
    private static final int SIMULATIONS = 1000;
    private static final long SEED = 20110711;

    static List<Claim> all()
    {
        return Claim.all();
    }

    /** Claims evaluated by rounds, which can disagree. */
    static List<Claim> ofRounds()
    {
        return all().stream().filter((claim) -> !isOfOneRun(claim)).toList();
    }

    private static boolean isOfOneRun(final Claim claim)
    {
        return "faithful".equals(claim.profiles().get(0)) || claim.isOfFirst();
    }

    @ParameterizedTest
    @MethodSource("all")
    void claimHoldsIfAllRoundsSupportIt(final Claim claim)
    {
        final Claim.Result result = judge(claim, holding(claim), holding(claim));

        assertEquals(Verdict.HOLDS, result.verdict(), result.toString());
        assertTrue(result.findings().get(0).words().contains(
            isOfOneRun(claim) ? "holds in this one run: " : "holds here, by "), result.toString());
    }

    @ParameterizedTest
    @MethodSource("all")
    void claimFailsIfAllRoundsContradictIt(final Claim claim)
    {
        final Claim.Result result = judge(claim, failing(claim), failing(claim));

        assertEquals(Verdict.FAILS, result.verdict(), result.toString());
        assertTrue(result.findings().get(0).words().contains(
            isOfOneRun(claim) ? "does not hold in this one run: " : "does not hold here: "), result.toString());
    }

    @ParameterizedTest
    @MethodSource("ofRounds")
    void claimIsInconclusiveIfRoundsDisagree(final Claim claim)
    {
        final Claim.Result result = judge(claim, holding(claim), failing(claim));

        assertEquals(Verdict.OPEN, result.verdict(), result.toString());
        assertTrue(result.findings().get(0).words().matches(".*inconclusive.*, too noisy: .*"), result.toString());
    }

    @ParameterizedTest
    @MethodSource("all")
    void claimsWithoutResultsShowTheirCommand(final Claim claim)
    {
        final ResultFile other = run("other", claim.profiles().get(0), List.of());

        final Claim.Result result = claim.evaluate(List.of(other));

        assertEquals(Verdict.NOT_RUN, result.verdict());
        assertTrue(claim.command().startsWith(claim.experiment()), claim.command());
    }

    @Test
    void claimCanHoldForOneLengthAndFailForAnother()
    {
        final Claim claim = claim(0, 0);
        final List<CaseResult> cases = List.of(
            measured(Map.of("way", "A", "length", "1"), 2, 2, 2), measured(Map.of("way", "B", "length", "1"), 1, 1, 1),
            measured(Map.of("way", "A", "length", "2"), 1, 1, 1), measured(Map.of("way", "B", "length", "2"), 2, 2, 2));

        final Claim.Result result = claim.evaluate(List.of(run("e", "fair", cases)));

        assertEquals(Verdict.MIXED, result.verdict());
        assertEquals(
            List.of(
                "file of 1 B: holds here, by 2x [2..2], 75 %",
                "file of 2 B: does not hold here: 0.500x [0.500..0.500], 75 %"),
            result.findings().stream().map(Claim.Finding::words).toList());
    }

    @Test
    void twoRoundsAreInconclusive()
    {
        final List<CaseResult> cases = List.of(measured(Map.of("way", "A"), 2, 2), measured(Map.of("way", "B"), 1, 1));

        final Claim.Result result = claim(0, 0).evaluate(List.of(run("e", "fair", cases)));

        assertEquals(Verdict.OPEN, result.verdict());
        assertEquals("inconclusive: 2x [2..2]; of 2 rounds, too few", result.summary());
    }

    @Test
    void nothingIsDividedByZero()
    {
        final List<CaseResult> cases =
            List.of(measured(Map.of("way", "A"), 2, 2, 2), measured(Map.of("way", "B"), 0, 0, 0));

        final Claim.Result result = claim(0, 0).evaluate(List.of(run("e", "fair", cases)));

        assertEquals(
            "inconclusive: no round has non-zero values of all compared cases", result.summary());
    }

    @Test
    void preferredProfileIsUsedFirst()
    {
        final List<CaseResult> cases =
            List.of(measured(Map.of("way", "A"), 2, 2, 2), measured(Map.of("way", "B"), 1, 1, 1));

        final Claim.Result result =
            claim(0, 0).evaluate(List.of(run("e", "durable", cases), run("e", "fair", cases)));

        assertEquals("fair", result.run().profile());
    }

    @Test
    void faithfulPassesHaveNoIntervalAndAreMarkedAsOneRun()
    {
        // However far apart the passes are, they are of one run.
        final List<CaseResult> cases =
            List.of(measured(Map.of("way", "A"), 2, 3, 1), measured(Map.of("way", "B"), 1, 3, 0.5));
        final Claim claim = new Claim(
            "X1", "A is faster than B.", "e", List.of("faithful"), "e", List.of(Charts.WRITE), null,
            Map.of("way", List.of("A")), null, Map.of("way", List.of("B")), null, null, null, 1, 0, false);

        final Claim.Result result = claim.evaluate(List.of(run("e", "faithful", cases)));

        assertEquals(Verdict.HOLDS, result.verdict());
        assertTrue(result.isOfOneRun());
        assertEquals("holds in this one run: 2x; medians of 3 passes, no interval", result.summary());
    }

    @Test
    void firstPassIsOneObservationComparedWithTheSpreadOfTheOthers()
    {
        assertEquals(
            "holds in this one run: 0.900x [0.891..0.909]; one observation, compared with 3 others",
            judgeFirst(90, 100, 101, 99).summary());
        assertEquals(
            "inconclusive in this one run, too noisy: 0.900x [0.692..1.13]; one observation, compared with 3 others",
            judgeFirst(90, 100, 130, 80).summary());
    }

    @Test
    void aFirstPassAtHalfTheRateIsNotAboutTenPercentSlower()
    {
        assertEquals(
            "does not hold in this one run: 0.504x [0.480..0.531]; one observation, compared with 5 others",
            judgeFirst(50.4, 100, 105, 95, 102, 98).summary());
    }

    @Test
    void differentMediansAreNotEqualThoughNoiseSelectsAFasterWorst()
    {
        final Claim claim = startingWith("With fsync, all APIs write equally fast");
        // Medians of 257, 317, 375 and 449 MB/s. By the other rounds, the worst is 1.26 times as fast as the best.
        final double[][] rates = { { 247, 361, 257 }, { 484, 287, 317 }, { 375, 455, 210 }, { 309, 488, 449 } };
        final List<CaseResult> cases = new ArrayList<>();
        for (int strategy = 0; strategy < rates.length; strategy++)
        {
            cases.add(
                rated(Charts.DURABLE, Map.of("way", Integer.toString(strategy), "pageLength", "4096"),
                    rates[strategy]));
        }

        final Claim.Result result =
            claim.evaluate(List.of(run(claim.experiment(), "durable", cases)));

        assertEquals(Verdict.OPEN, result.verdict());
        assertEquals(
            "inconclusive, too noisy: 1.26x [1.22..1.57], 75 %, ratio of the medians of all rounds 0.572x",
            result.summary());
    }

    static List<Claim> twoSided()
    {
        return all().stream().filter(Claim::isTwoSided).toList();
    }

    @ParameterizedTest
    @MethodSource("twoSided")
    void quantitativeClaimHoldsOnlyWithinItsBounds(final Claim claim)
    {
        final double below = 0.98 * claim.atLeast();
        final double within = Math.sqrt(claim.atLeast() * claim.atMost());
        final double above = 1.02 * claim.atMost();

        assertEquals(Verdict.FAILS, judge(claim, below, below).verdict());
        assertEquals(Verdict.HOLDS, judge(claim, within, within).verdict());
        assertEquals(Verdict.FAILS, judge(claim, above, above).verdict());
    }

    @ParameterizedTest
    @MethodSource("twoSided")
    void quantitativeClaimIsInconclusiveIfSomeRoundsExceedABound(final Claim claim)
    {
        final double within = Math.sqrt(claim.atLeast() * claim.atMost());

        // Of a first pass, the others are what varies.
        for (final double beyond : new double[]{ 0.9 * claim.atLeast(), 1.1 * claim.atMost() })
        {
            final Claim.Result result = judge(claim, within, beyond);

            assertEquals(Verdict.OPEN, result.verdict(), result.toString());
            assertTrue(result.findings().get(0).words().matches(".*inconclusive.*, too noisy: .*"), result.toString());
        }
    }

    @Test
    void everyQuantitativeClaimHasTwoBounds()
    {
        final Pattern howMuch = Pattern.compile(
            "\\babout \\d+ %|\\bwithin\\b|about (twice|four times) as|\\bas much as\\b|a little faster|matters " +
                "little|equally fast|almost as fast|almost two orders|\\d to \\d(\\.\\d)? times as fast");
        for (final Claim claim : all())
        {
            assertEquals(howMuch.matcher(claim.says()).find(), claim.isTwoSided(), claim.says());
        }
    }

    @Test
    void noisyPassesMakeAQuantitativeClaimInconclusive()
    {
        final Claim twice = startingWith("Arrays make a mapped file about twice as fast");
        final List<CaseResult> steady = List.of(
            measured(Map.of("way", "MemoryMappedFile2"), 2, 2.1, 1.9),
            measured(Map.of("way", "MemoryMappedFile"), 1, 1, 1));
        final List<CaseResult> noisy = List.of(
            measured(Map.of("way", "MemoryMappedFile2"), 2, 3, 1),
            measured(Map.of("way", "MemoryMappedFile"), 1, 1, 1));

        assertEquals(
            "holds in this one run: 2x [1.90..2.10]; medians of 3 passes",
            twice.evaluate(List.of(run(twice.experiment(), "faithful", steady))).summary());
        assertEquals(
            "inconclusive in this one run, too noisy: 2x [1..3]; medians of 3 passes",
            twice.evaluate(List.of(run(twice.experiment(), "faithful", noisy))).summary());
    }

    @Test
    void gainsAreComparedRoundByRound()
    {
        final Claim claim = startingWith("A buffer helps a FileOutputStream");
        final List<CaseResult> cases = new ArrayList<>();
        cases.add(
            rated("writeBytesPerSecond", Map.of("direction", "write", "bufferLength", "8192"), 80, 160, 80, 80, 80));
        cases.add(rated("writeBytesPerSecond", Map.of("direction", "write", "bufferLength", "0"), 1, 2, 1, 1, 1));
        cases.add(rated("readBytesPerSecond", Map.of("direction", "read", "bufferLength", "8192"), 90, 90, 90, 90, 90));
        cases.add(rated("readBytesPerSecond", Map.of("direction", "read", "bufferLength", "0"), 1, 1, 1, 1, 1));

        final List<ResultFile> runs = List.of(run(claim.experiment(), "fair", cases));
        assertEquals("holds here, by 0.889x [0.889..0.889], 94 %", claim.evaluate(runs).summary());

        // Without the other gain there is nothing to compare with.
        final List<ResultFile> alone = List.of(run(claim.experiment(), "fair", cases.subList(0, 2)));
        assertEquals(Verdict.NOT_RUN, claim.evaluate(alone).verdict());
    }

    @Test
    void gainsOfDifferentRoundsAreNotCompared()
    {
        final Claim claim = startingWith("A buffer helps a FileOutputStream");
        final List<CaseResult> cases = new ArrayList<>();
        cases.add(
            rated("writeBytesPerSecond", Map.of("direction", "write", "bufferLength", "8192"), 80, 160, 240, 80, 80));
        // Without a value in the first round, the other gain in the last.
        cases.add(rated("writeBytesPerSecond", Map.of("direction", "write", "bufferLength", "0"), 0, 1, 1, 1, 1));
        cases.add(
            rated("readBytesPerSecond", Map.of("direction", "read", "bufferLength", "8192"), 90, 180, 270, 90, 90));
        cases.add(rated("readBytesPerSecond", Map.of("direction", "read", "bufferLength", "0"), 1, 1, 1, 1, 0));

        assertEquals(
            "holds here, by 0.889x [0.889..0.889], 75 %",
            claim.evaluate(List.of(run(claim.experiment(), "fair", cases))).summary());
    }

    @Test
    void casesWithFlagsAreExcludedUnlessTheClaimNamesThem()
    {
        final List<CaseResult> cases = List.of(
            measured(Map.of("way", "A"), 2, 2, 2), measured(Map.of("way", "B"), 1, 1, 1),
            measured(Map.of("way", "B", "jvmFlags", "-Xint"), 4, 4, 4));
        final Claim named = new Claim(
            "X1", "Flags are faster.", "e", List.of("fair"), "e", List.of(Charts.WRITE), null,
            Map.of("jvmFlags", List.of("-Xint")), null, Map.of("way", List.of("A")), null, null, null, 1, 0, false);
        final List<ResultFile> runs = List.of(run("e", "fair", cases));

        assertEquals("holds here, by 2x [2..2], 75 %", claim(0, 0).evaluate(runs).summary());
        assertEquals("holds here, by 2x [2..2], 75 %", named.evaluate(runs).summary());
    }

    @Test
    void claimIsEvaluatedFromItsOwnVariant()
    {
        final Claim claim = all().stream().filter((each) -> each.says().startsWith("Mapped files win writing"))
            .findFirst().orElseThrow();
        final List<CaseResult> arrays = new ArrayList<>();
        final List<CaseResult> article = new ArrayList<>();
        for (final String strategy : List.of("MemoryMappedFile", "RandomAccessFile", "BufferedStreamFile"))
        {
            arrays.add(measured(Map.of("way", strategy, "variant", "ARRAYS"), 1, 1, 1, 1));
            article.add(measured(Map.of("way", strategy, "variant", "ARTICLE"), 1, 1, 1));
        }

        final Claim.Result result = claim.evaluate(List.of(
            run(claim.experiment(), "faithful", arrays), run(claim.experiment(), "faithful", article)));

        assertEquals(3, result.findings().get(0).rounds());
    }

    @Test
    void runWithTheMostCasesThenTheMostFindingsIsChosen()
    {
        final Map<String, String> a = Map.of("way", "A");
        final Map<String, String> b = Map.of("way", "B");
        final Map<String, String> other = Map.of("way", "B", "layout", "C");
        final ResultFile once = run("e", "fair", List.of(
            measured(Map.of("way", "A", "length", "1"), 1), measured(Map.of("way", "B", "length", "1"), 1),
            measured(Map.of("way", "A", "length", "2"), 1), measured(Map.of("way", "B", "length", "2"), 1)));
        final ResultFile three = run("e", "fair", List.of(measured(a, 1, 1, 1), measured(b, 1, 1, 1)));
        final ResultFile four = run("e", "fair", List.of(measured(a, 1, 1, 1, 1), measured(b, 1, 1, 1, 1)));
        final ResultFile wide =
            run("e", "fair", List.of(measured(a, 1, 1, 1), measured(b, 1, 1, 1), measured(other, 1, 1, 1)));
        final ResultFile scaled = run("e", "fair", 0.1, wide.cases());

        assertSame(three, claim(0, 0).evaluate(List.of(once, three)).run());
        assertSame(four, claim(0, 0).evaluate(List.of(once, three, four)).run());
        assertSame(wide, claim(0, 0).evaluate(List.of(once, four, wide)).run());
        assertSame(once, claim(0, 0).evaluate(List.of(scaled, once)).run());
    }

    @Test
    void caseIsNotComparedWithItself()
    {
        final Claim claim = all().stream().filter((each) -> each.says().startsWith("Arrays longer than"))
            .findFirst().orElseThrow();
        final List<CaseResult> cases = List.of(
            rated(Charts.READ, Map.of("way", "A", "varied", "array", "arrayLength", "4096"), 1, 1, 1),
            rated(Charts.READ, Map.of("way", "A", "varied", "array", "arrayLength", "8192"), 1, 1, 1));

        final Claim.Result result = claim.evaluate(List.of(run(claim.experiment(), "fair", cases)));

        assertEquals(Verdict.NOT_RUN, result.verdict());
    }

    @Test
    void theBestOfSeveralIsChosenByTheOtherRounds()
    {
        // In each round another B is lucky, by as much: there is none that is better than A.
        final List<CaseResult> cases = List.of(
            measured(Map.of("way", "A"), 1, 1, 1), measured(Map.of("way", "B", "layout", "1"), 9, 1, 1),
            measured(Map.of("way", "B", "layout", "2"), 1, 9, 1), measured(Map.of("way", "B", "layout", "3"), 1, 1, 9));

        final Claim.Result result = claim(0, 0).evaluate(List.of(run("e", "fair", cases)));

        assertEquals("holds here, by 1x [1..1], 75 %", result.summary());
    }

    /**
     * Cases that are all equal, each measurement off by 5 %.
     */
    @ParameterizedTest
    @CsvSource({ "3, 0.25", "5, 0.1", "7, 0.05", "9, 0.1", "15, 0.1" })
    void noiseSeldomDecidesTheBestOfMany(final int rounds, final double most)
    {
        final Claim best = all().stream().filter((each) -> each.says().startsWith("A buffer of 32 or 40 kB"))
            .findFirst().orElseThrow();
        final int[] lengths = { 1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 128, 256 };
        final Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
        final Random random = new Random(SEED);
        for (int i = 0; i < SIMULATIONS; i++)
        {
            final List<CaseResult> cases = new ArrayList<>();
            for (final int length : lengths)
            {
                cases.add(rated(
                    Charts.READ, Map.of("direction", "read", "bufferLength", Integer.toString(length * 1024)),
                    noise(random, rounds)));
            }
            counts.merge(
                best.evaluate(List.of(run(best.experiment(), "fair", cases))).verdict(), 1,
                Integer::sum);
        }

        assertTrue(counts.getOrDefault(Verdict.FAILS, 0) < most * SIMULATIONS, counts.toString());
        assertTrue(counts.getOrDefault(Verdict.HOLDS, 0) < most * SIMULATIONS, counts.toString());
    }

    @Test
    void noiseSeldomSeparatesTheBestAndTheWorstOfMany()
    {
        final Claim alike = all().stream().filter((each) -> each.says().startsWith("With fsync, all APIs"))
            .findFirst().orElseThrow();
        final Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
        final Random random = new Random(SEED);
        for (int i = 0; i < SIMULATIONS; i++)
        {
            final List<CaseResult> cases = new ArrayList<>();
            for (int strategy = 0; strategy < 8; strategy++)
            {
                cases.add(rated(
                    Charts.DURABLE, Map.of("way", Integer.toString(strategy), "pageLength", "4096"),
                    noise(random, ROUNDS)));
            }
            counts.merge(
                alike.evaluate(List.of(run(alike.experiment(), "durable", cases))).verdict(), 1,
                Integer::sum);
        }

        // They are alike: the worst and the best of a round are not, by 10 % and more.
        assertTrue(counts.getOrDefault(Verdict.FAILS, 0) < 0.05 * SIMULATIONS, counts.toString());
    }

    private static Claim startingWith(final String words)
    {
        return all().stream().filter((each) -> each.says().startsWith(words)).findFirst().orElseThrow();
    }

    private static Claim.Result judgeFirst(final double... rates)
    {
        final Claim claim = all().stream().filter(Claim::isOfFirst).findFirst().orElseThrow();
        final List<CaseResult> cases = List.of(measured(Map.of("way", "DirectGen"), rates));
        return claim.evaluate(List.of(run(claim.experiment(), "faithful", cases)));
    }

    private static double[] noise(final Random random, final int rounds)
    {
        return IntStream.range(0, rounds).mapToDouble((round) -> 1e8 * (1 + 0.05 * random.nextGaussian())).toArray();
    }

    private static Claim claim(final double atLeast, final double atMost)
    {
        return new Claim(
            "X1", "A is faster than B.", "e", List.of("fair", "durable"), "e", List.of(Charts.WRITE), null,
            Map.of("way", List.of("A")), null, Map.of("way", List.of("B")), null, null, List.of("length"),
            0 == atLeast ? 1 : atLeast, atMost, false);
    }

    /** A ratio with which a claim holds. */
    private static double holding(final Claim claim)
    {
        return 0 == claim.atLeast() ? 0.8 * claim.atMost() :
            claim.atMost() < Double.MAX_VALUE ? (claim.atLeast() + claim.atMost()) / 2 :
                claim.atLeast() < 1 ? (claim.atLeast() + 1) / 2 : 1.5 * claim.atLeast();
    }

    /** A ratio with which it does not. */
    private static double failing(final Claim claim)
    {
        return 0 == claim.atLeast() ? 1.5 * claim.atMost() : claim.atLeast() > 1 ? (1 + claim.atLeast()) / 2 :
            0.6 * claim.atLeast();
    }

    /**
     * Judges two cases, whose ratio is now the one, now the other.
     */
    private static Claim.Result judge(final Claim claim, final double ratio, final double other)
    {
        final Map<String, String> of = parameters(claim, claim.of(), 0);
        final Map<String, String> to = parameters(claim, claim.to(), 1);
        final boolean isFirst = "first".equals(claim.take());
        final SortedMap<Integer, Map<String, String>> ofRounds = new TreeMap<>();
        final SortedMap<Integer, Map<String, String>> toRounds = new TreeMap<>();
        for (int round = 1; round <= ROUNDS; round++)
        {
            final double wanted = 0 == round % 2 ? ratio : other;
            final Map<String, String> ofValues = new HashMap<>();
            final Map<String, String> toValues = new HashMap<>();
            for (final String key : claim.keys())
            {
                final double factor = Unit.of(key).isHigherBetter ? wanted : 1 / wanted;
                // Of one case whose first round is compared with its others, those are what varies.
                ofValues.put(key, Double.toString(isFirst ? 1 == round ? 100 : 100 / factor : 100 * factor));
                toValues.put(key, "100");
            }
            ofRounds.put(round, ofValues);
            toRounds.put(round, toValues);
        }

        final List<CaseResult> cases = new ArrayList<>(List.of(new CaseResult("of", of, ofRounds)));
        if (!isFirst)
        {
            cases.add(new CaseResult("to", to, toRounds));
        }
        if (null != claim.than())
        {
            addThan(claim, cases);
        }
        return claim.evaluate(List.of(run(claim.experiment(), claim.profiles().get(0), cases)));
    }

    /**
     * Two cases that are equal in the other value: what is left is the ratio of the first two.
     */
    private static void addThan(final Claim claim, final List<CaseResult> cases)
    {
        final double[] equal = new double[ROUNDS];
        Arrays.fill(equal, 100);
        for (final Map<String, List<String>> selected : List.of(claim.of(), claim.to()))
        {
            final Map<String, String> all = parameters(claim, selected, cases.size() % 2);
            claim.than().where().forEach((name, values) -> all.put(name, values.get(0)));
            cases.add(rated(claim.than().key(), all, equal));
        }
    }

    /**
     * Of a case that a claim is about: where several will do, another one for each place.
     */
    private static Map<String, String> parameters(
        final Claim claim, final Map<String, List<String>> selected, final int place)
    {
        final Map<String, String> parameters = new LinkedHashMap<>();
        for (final Map<String, List<String>> each : List.of(claim.where(), selected))
        {
            each.forEach((name, values) -> parameters.put(name, values.get(0).startsWith("!") ?
                List.of("16384", "65536").get(place) : values.get(Math.min(place, values.size() - 1))));
        }
        // What both are about is one thing.
        claim.where().keySet().stream().filter((name) -> !selected.containsKey(name)).forEach(
            (name) -> parameters.put(name, claim.where().get(name).get(0).startsWith("!") ? "other" :
                claim.where().get(name).get(0)));
        return parameters;
    }

    private static CaseResult measured(final Map<String, String> parameters, final double... rates)
    {
        return rated(Charts.WRITE, parameters, rates);
    }

    private static CaseResult rated(final String key, final Map<String, String> parameters, final double... rates)
    {
        final SortedMap<Integer, Map<String, String>> rounds = new TreeMap<>();
        for (int i = 0; i < rates.length; i++)
        {
            rounds.put(i + 1, Map.of(key, Double.toString(rates[i])));
        }

        return new CaseResult(parameters.toString(), parameters, rounds);
    }

    private static ResultFile run(final String experiment, final String profile, final List<CaseResult> cases)
    {
        return run(experiment, profile, 1, cases);
    }

    private static ResultFile run(
        final String experiment, final String profile, final double scale, final List<CaseResult> cases)
    {
        return new ResultFile("raw", Path.of("raw.jsonl"), new RawFile.Header(
            RawFile.VERSION, experiment, profile, scale, experiment, "", Map.of()), cases);
    }
}
