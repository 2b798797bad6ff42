package io.journal.bench.report;

/**
 * How the charts of an experiment are to be read.
 */
final class Explanations
{
    private static final String BARS = " A bar is the median of all rounds, its whisker goes from the slowest to the " +
        "fastest one: where whiskers overlap, no difference was seen.";
    private static final String PERCENTILES = " To the right are the rare, slow ones: each 9 more takes as much " +
        "room. Lower is better.";

    private static final String READERS = "The time to read the file in each way, over the length of the array that " +
        "is read into, or of the buffer of ways without an array; lower is faster. Ways with neither are level " +
        "lines. What would take too long read a part of the file, and its time is that of the whole at the same rate.";
    private static final String ANYTHING = "Each chart shows one value of every case." + BARS;

    private Explanations()
    {
    }

    static String of(final ResultFile run)
    {
        return switch (run.experiment())
        {
            case "sequential" -> "A file is written from its beginning to its end and read again, in each of Java's " +
                "ways; longer is faster." + BARS + ("faithful".equals(run.profile()) ?
                    " Diamonds are what the article measured on its machine: look at which way is ahead, not at the " +
                        "distance." :
                    "");
            case "buffer-sweep" -> "A file is read or written byte by byte through buffers of many lengths; higher " +
                "is faster. \"None\", the bare stream, stands where the article drew it, at 0.1 kB. Whiskers are one " +
                "sigma of the sample; dotted lines with hollow marks are the article's three systems, taken as MB of " +
                "1,000,000 B, which it does not say.";
            case "streams-vs-channels" -> "A file is generated and read through direct and indirect buffers, streams " +
                "and mappings; longer is faster. The charts are those of the original, under its names." + BARS +
                " In the lines each point is one run: what changes from the first to the last is warm-up and the " +
                "machine.";
            case "readers" -> ReadersCharts.isOverLengths(run) ? READERS : ANYTHING;
            case "journal" -> "The same bytes as records of a journal and in a plain file, written in the way of " +
                "each backend; longer is faster. The journal adds a header and a checksum to each record, and " +
                "verifies both when reading." + BARS;
            case "group-commit" -> "Threads append a record each and wait until it is on the device. One force can " +
                "serve all who wait, so more threads should get more than the plain loop of one thread." + BARS;
            case "follow" -> "From the moment a record was due to be appended to the moment a follower had it: a " +
                "stall counts for every record that waited for its end." + PERCENTILES;
            case "latency" -> "From the moment a record was due to be appended to the moment it was written or " +
                "forced: a stall counts for every record that waited for its end." + PERCENTILES;
            case "seek" -> "Going to any record of a history. Lines that lie close together mean that a longer " +
                "history costs little." + PERCENTILES;
            default -> ANYTHING;
        };
    }

    /**
     * Whether what was measured can be faster than the device is.
     */
    static boolean hasApparentRates(final ResultFile run)
    {
        return run.keys().contains(Charts.WRITE) || run.keys().contains(Charts.READ) && !"cold".equals(run.profile());
    }
}
