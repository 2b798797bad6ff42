// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.nio.file.Path;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.workload.Workload;

/**
 * The parameters of a case for its subject.
 *
 * @param directory     of its files, on the measured disk.
 * @param memory        a directory in memory, for subjects that share memory between processes.
 * @param segmentLength of its files, where they have a fixed length: a power of two.
 * @param recordLength  of every record of the case.
 * @param workload      that it is opened for, since some must be set up for durable appends or several threads.
 * @param args          of the case, with the options of this subject alone.
 */
public record Setup(
    SubjectKind kind, Path directory, Path memory, int segmentLength, int recordLength, Workload workload,
    Arguments args)
{
    public static Setup of(final Arguments args)
    {
        return new Setup(
            args.one(SubjectKind.class, "subject"), args.directory(),
            Path.of(args.text(BenchmarkCase.MEMORY)), args.length("segmentLength"),
            args.length("recordLength"), args.one(Workload.class, "workload"), args);
    }

    public Setup in(final String name)
    {
        return new Setup(
            kind, directory.resolve(name), memory.resolve(name), segmentLength, recordLength, workload, args);
    }

    public Subject open() throws Exception
    {
        return kind.open(this);
    }
}
