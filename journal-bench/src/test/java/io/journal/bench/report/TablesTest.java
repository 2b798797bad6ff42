// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.journal.bench.run.Profile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TablesTest
{
    private static final String READ = "readBytesPerSecond";

    @TempDir
    private Path directory;

    @Test
    void theBestIsNamedWithItsRatioToTheWorst() throws Exception
    {
        final Tables tables = tables("copy", (written) -> written.add("way=A", READ, 4e8, 5e8, 6e8)
            .add("way=B", READ, 2e8, 2.5e8, 3e8));

        assertEquals("Read from the page cache: A is best (500 MB/s), 2 times as good as B.", tables.answer());
        assertTrue(printed(tables).contains("500 [400..600]"), printed(tables));
    }

    @Test
    void aDifferenceThatRoundsDoNotShowIsNotStated() throws Exception
    {
        final Tables tables = tables("copy", (written) -> written.add("way=A", READ, 4e8, 1e8, 6e8)
            .add("way=B", READ, 2e8, 2.5e8, 3e8));

        assertTrue(tables.answer().contains("no difference that these rounds can show"), tables.answer());
    }

    @Test
    void fewerThanThreeRoundsStateNothing() throws Exception
    {
        final Tables tables = tables("copy", (written) -> written.add("way=A", READ, 4e8, 5e8)
            .add("way=B", READ, 2e8, 2.5e8));

        assertEquals("2 complete rounds: too few to state anything.", tables.answer());
        assertFalse(printed(tables).contains("["), printed(tables));
        assertTrue(printed(tables).contains("too few for an interval"), printed(tables));
    }

    @Test
    void subjectsHaveARowAndWhatVariesAColumn() throws Exception
    {
        final Tables tables = tables("peers", (written) ->
        {
            for (final String subject : List.of("ROCKSDB", "JOURNAL_MAPPED"))
            {
                written.add("subject=" + subject + " workload=DURABLE threads=1", "recordsPerSecond", 100, 110, 120);
                written.add("subject=" + subject + " workload=DURABLE threads=16", "recordsPerSecond", 900, 910, 920);
            }
        });

        assertTrue(tables.markdown().contains("""
            **Durable append, records/s**

            |  | 1 thread | 16 threads |
            | --- | --- | --- |
            | Journal, MAPPED | 110 [100..120] | 910 [900..920] |
            | RocksDB | 110 [100..120] | 910 [900..920] |
            """), tables.markdown());
    }

    @Test
    void casesAreComparedWithTheirBaselineRoundByRound() throws Exception
    {
        final Tables tables = tables("group-commit", (written) -> written
            .add("threads=1", "recordsPerSecond", 100, 200, 300)
            .add("backend=MAPPED threads=1", "recordsPerSecond", 50, 100, 150));

        assertTrue(printed(tables).contains("0.50 [0.50..0.50]"), printed(tables));
    }

    @Test
    void disturbedCasesAreWarnedOf() throws Exception
    {
        final Tables tables = tables("copy", (written) -> written.add(1, "a", Map.of("way", "A"), Map.of(
            READ, "4e8", "disturbedPercent", "20")));

        assertTrue(printed(tables).contains("1 cases were disturbed"), printed(tables));
    }

    @Test
    void failedCaseIsMarkedAndItsCauseReported() throws Exception
    {
        final Tables tables = tables("copy", (written) -> written.add("way=A", READ, 4e8, 5e8, 6e8)
            .add(4, "way=A", Map.of("way", "A"), Map.of("failed", "replay differs: appended=2"))
            .add(4, "b", Map.of("way", "B"), Map.of("failed", "out of memory")));

        assertTrue(printed(tables).contains("500 [400..600] (1 failed)"), printed(tables));
        assertTrue(tables.markdown().contains("| B | – (1 failed) |"), tables.markdown());
        assertTrue(tables.markdown().contains(" Failed: way=A: replay differs: appended=2. Failed: b: out of memory."),
            tables.markdown());
    }

    private interface Writing
    {
        void to(ResultFiles written);
    }

    private Tables tables(final String experiment, final Writing writing) throws Exception
    {
        final Path file = directory.resolve("raw.jsonl");
        try (ResultFiles written = new ResultFiles(file, experiment, Profile.FAIR))
        {
            writing.to(written);
        }
        return new Tables(ResultFile.read(file));
    }

    private static String printed(final Tables tables)
    {
        final StringWriter out = new StringWriter();
        tables.print(new PrintWriter(out));
        return out.toString();
    }
}
