// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;

import io.journal.bench.subject.BackendConfig;
import io.journal.bench.recommend.Measurements.Figure;

/**
 * Simulates measurements with the noise of a shared machine. Each round is as fast as it likes, each trial is off by a
 * random factor, and one in twenty takes three times as long besides.
 */
final class SimulatedTrials implements Tournament.TrialRunner
{
    /** What every case has, of every figure, unless it is made better: the median, undisturbed. */
    static final long RATE = 1000;

    private static final double ROUND_NOISE = 0.5;
    private static final int STALL_ONE_IN = 20;
    private static final double STALL = 3;
    private static final double TRIAL_NS = 1.4e9;

    private final Random random;
    private final double noise;
    private final double roundNoise;
    private final Map<BackendConfig, Map<Figure, Double>> factors = new HashMap<>();
    private long timeNs;

    /**
     * @param noise standard deviation of the logarithm of a trial.
     */
    SimulatedTrials(final long seed, final double noise)
    {
        this(seed, noise, ROUND_NOISE);
    }

    /** A quiet machine has no stalls: rounds differ as given. */
    SimulatedTrials(final long seed, final double noise, final double roundNoise)
    {
        // Neighbouring seeds would begin alike.
        random = new Random(new SplittableRandom(seed).nextLong());
        this.noise = noise;
        this.roundNoise = roundNoise;
    }

    /** Makes a case better than others. */
    SimulatedTrials with(final BackendConfig better, final List<Figure> figures, final double factor)
    {
        figures.forEach(
            (figure) -> factors.computeIfAbsent(better, (key) -> new EnumMap<>(Figure.class)).put(figure, factor));
        return this;
    }

    /** All figures alike. */
    static Map<Figure, Double> figures(final double value)
    {
        final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        List.of(Figure.values()).forEach((figure) -> figures.put(figure, value));
        return figures;
    }

    long timeNs()
    {
        return timeNs;
    }

    @Override
    public Measurements measure(final List<BackendConfig> cases, final int rounds)
    {
        final Measurements measurements = new Measurements();
        for (int i = 0; i < rounds; i++)
        {
            final double roundFactor = Math.exp(roundNoise * random.nextGaussian());
            final List<BackendConfig> order = new ArrayList<>(cases);
            Collections.shuffle(order, random);
            final Map<BackendConfig, Map<Figure, Double>> round = new LinkedHashMap<>();
            cases.forEach((each) -> round.put(each, Map.of()));
            for (final BackendConfig each : order)
            {
                round.put(each, trial(each, roundFactor));
            }
            measurements.add(round);
        }

        return measurements;
    }

    private Map<Figure, Double> trial(final BackendConfig measured, final double roundFactor)
    {
        timeNs += (long)TRIAL_NS;
        final double stall = roundNoise > 0 && 0 == random.nextInt(STALL_ONE_IN) ? STALL : 1;
        final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        for (final Figure figure : Figure.values())
        {
            final double good = factors.getOrDefault(measured, Map.of()).getOrDefault(figure, 1.0);
            figures.put(figure, RATE * good * roundFactor * Math.exp(noise * random.nextGaussian()) / stall);
        }

        return figures;
    }
}
