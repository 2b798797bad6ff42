package io.journal.bench.run;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One measured interval of a trial: rates since its start, and the resource usage up to its end. Nothing is printed
 * before the end, so that output is not measured.
 */
public final class MeasuredInterval
{
    private static final double NS_PER_S = 1e9;

    private final Map<String, String> rates = new LinkedHashMap<>();
    private final Usage usage = Usage.now();
    private final long startNs = System.nanoTime();
    private long elapsedNs;

    private MeasuredInterval()
    {
    }

    public static MeasuredInterval start()
    {
        return new MeasuredInterval();
    }

    /**
     * Records a rate: an amount per second since the start.
     */
    public void rate(final String key, final double amount)
    {
        elapsedNs = System.nanoTime() - startNs;
        rates.put(key, Double.toString(amount * NS_PER_S / elapsedNs));
    }

    /** Time from the start to the last rate. */
    public long elapsedNs()
    {
        return elapsedNs;
    }

    /**
     * Resource usage since the start, and the rates.
     *
     * @param prefix of the keys of the usage.
     */
    public Map<String, String> end(final String prefix)
    {
        final Map<String, String> found = usage.foundSince(prefix);
        found.putAll(rates);
        return found;
    }

    /** Prints what {@link #end} returns. */
    public void print(final String prefix)
    {
        end(prefix).forEach((key, value) -> System.out.println(key + '=' + value));
    }
}
