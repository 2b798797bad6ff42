package io.journal.bench;

import io.journal.bench.article.Copy;
import io.journal.bench.article.Sequential;
import io.journal.bench.article.readers.Readers;
import io.journal.bench.article.streams.StreamsVersusChannels;
import io.journal.bench.article.sweep.BufferSweep;
import io.journal.bench.jmh.JmhRatios;
import io.journal.bench.journal.Follow;
import io.journal.bench.journal.GroupCommit;
import io.journal.bench.journal.JournalGrid;
import io.journal.bench.journal.Latency;
import io.journal.bench.journal.Seek;
import io.journal.bench.journal.Sustained;
import io.journal.bench.recommend.Recommend;
import io.journal.bench.report.Compare;
import io.journal.bench.report.Report;
import io.journal.bench.run.Commands;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The main command.
 */
@Command(
    name = "journal-bench",
    description = "Benchmarks the journal and the file APIs below it on this machine and disk.",
    subcommands = { Recommend.class, JmhRatios.class, GroupCommit.class, Follow.class, Seek.class, Sustained.class,
        Sequential.class, Copy.class, BufferSweep.class, StreamsVersusChannels.class, Readers.class,
        JournalGrid.class, Latency.class, All.class, Report.class, Compare.class },
    sortOptions = false)
public final class Bench
{
    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelpRequested;

    public static void main(final String[] args)
    {
        System.exit(commandLine().execute(args));
    }

    /** All commands; --report is handled after each. */
    public static CommandLine commandLine()
    {
        return Commands.of(new Bench()).setExecutionStrategy(new Report.AfterRun());
    }
}
