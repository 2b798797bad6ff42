// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DisplayNamesTest
{
    /** As in a result file of recommend: its candidates, segment lengths and verdict. */
    @Test
    void orderOfCasesWithDifferentParametersIsTotal()
    {
        final List<Map<String, String>> all = Stream.of(
            "backend=RANDOM_ACCESS_FILE windowLength=0 recordLength=256",
            "backend=FILE_CHANNEL windowLength=65536 recordLength=256",
            "backend=FILE_CHANNEL windowLength=0 recordLength=256",
            "backend=MAPPED windowLength=0 recordLength=256 segmentLength=67108864",
            "backend=MAPPED windowLength=0 recordLength=256 segmentLength=4194304",
            "backend=MAPPED windowLength=0 recordLength=256", "rate=unknown recordLength=256 survive=power",
            "rate=1000 recordLength=256 survive=power", "rate=5x recordLength=256 survive=power")
            .map(ResultFiles::parameters).toList();

        final Comparator<Map<String, String>> order = DisplayNames.orderOf(all);

        for (final Map<String, String> one : all)
        {
            for (final Map<String, String> other : all)
            {
                final int compared = order.compare(one, other);
                assertEquals(Integer.signum(compared), -Integer.signum(order.compare(other, one)), one + ", " + other);
                assertEquals(one.equals(other), 0 == compared, one + ", " + other);
                for (final Map<String, String> third : all)
                {
                    assertTrue(
                        compared > 0 || order.compare(other, third) > 0 || order.compare(one, third) <= 0,
                        one + ", " + other + ", " + third);
                }
            }
        }
    }

    @Test
    void casesAreOrderedByTheFirstParameterInWhichTheyDiffer()
    {
        final List<Map<String, String>> cases = Stream.of(
            "backend=MAPPED threads=16", "jvmFlags=-Xint backend=MAPPED threads=1", "backend=MAPPED threads=2",
            "backend=MAPPED threads=1", "threads=1", "backend=DIRECT threads=16")
            .map(ResultFiles::parameters).toList();

        final List<Map<String, String>> found = new ArrayList<>(cases);
        found.sort(DisplayNames.orderOf(cases));

        assertEquals(
            List.of(
                "{threads=1}", "{backend=DIRECT, threads=16}", "{backend=MAPPED, threads=1}",
                "{jvmFlags=-Xint, backend=MAPPED, threads=1}", "{backend=MAPPED, threads=2}",
                "{backend=MAPPED, threads=16}"),
            found.stream().map(Map::toString).toList());
    }
}
