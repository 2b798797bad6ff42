package io.journal.peers;

import java.util.List;

/**
 * A chart of several panels, as the page draws it.
 *
 * @param name of its image.
 */
record Chart(String name, String title, List<Panel> panels)
{
    /**
     * One plot.
     *
     * @param categories of the axis, in order.
     * @param isBars     horizontal bars of one series, else lines.
     */
    record Panel(String title, boolean isBars, List<String> categories, List<Series> series)
    {
    }

    /**
     * A line, or the bars of a plot.
     *
     * @param values with their extremes; null where nothing was measured.
     * @param groups of each bar, which determine its colour: ours, a peer, or plain I/O.
     */
    record Series(String name, List<Summary> values, List<String> groups)
    {
    }
}
