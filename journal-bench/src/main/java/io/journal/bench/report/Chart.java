package io.journal.bench.report;

/**
 * A picture, before it is drawn.
 */
sealed interface Chart permits BarChart, LineChart
{
    /**
     * Of its files, without a suffix: the same for the same experiment every time.
     */
    String name();

    String title();

    /**
     * What all that is drawn has in common.
     */
    String subtitle();

    /**
     * The picture in words, for who does not see it.
     */
    String description();
}
