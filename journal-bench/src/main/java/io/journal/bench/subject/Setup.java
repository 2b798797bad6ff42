package io.journal.bench.subject;

import java.nio.file.Path;
import java.util.Map;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.workload.Workload;

/**
 * What a case asks of a subject.
 *
 * @param directory     of its files, on the measured disk.
 * @param memory        a directory in memory, for subjects that share memory between processes.
 * @param segmentLength of its files, where they have a fixed length: a power of two.
 * @param recordLength  of every record of the case.
 * @param workload      that it is opened for, since some must be set up for durable appends or several threads.
 * @param options       of this subject alone, by name.
 */
public record Setup(
    Path directory, Path memory, int segmentLength, int recordLength, Workload workload, Map<String, String> options)
{
    /** As a case passes it. */
    public static Setup of(final Arguments args)
    {
        return new Setup(
            args.directory(), Path.of(args.text(BenchmarkCase.MEMORY, args.directory().toString())),
            args.length("segmentLength"), args.length("recordLength"), args.one(Workload.class, "workload"),
            args.values());
    }

    /** The same in a directory below. */
    public Setup in(final String name)
    {
        return new Setup(
            directory.resolve(name), memory.resolve(name), segmentLength, recordLength, workload, options);
    }

    public String option(final String name, final String otherwise)
    {
        return options.getOrDefault(name, otherwise);
    }
}
