// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.List;

import io.journal.bench.run.Unit;

/**
 * A kind of measurement, with the record lengths and numbers at which subjects are compared.
 */
public enum Workload
{
    PREPARED("How fast is a burst of appends, inside a prepared segment?", 64, List.of(64, 256, 1024, 4096)),
    SUSTAINED(
        "How fast is a stream of appends, until its last fsync as well?", 1024, List.of(64, 256, 1024, 4096)),
    SHARED("How fast do several threads append?", 64, List.of(256), 2, 4),
    DURABLE("How many durable records/s do 1, 16 and 64 threads have?", 0, List.of(256), 1, 16, 64),
    PIPELINED("How many has one thread with up to 4,096 records in flight?", 0, List.of(256), 1, 16, 256, 4096),
    REPLAY("How fast is everything read?", 256, List.of(64, 256, 1024, 4096)),
    LOOKUP("How fast are single records read at random?", 0, List.of(1024), 1, 4),
    FIRST_LOOKUP("What do the first records cost that are read after an opening?", 64, List.of(1024)),
    PACED("What is the tail of an append at 100,000/s?", 0, List.of(256)),
    FOLLOWED("How long until another thread has a record, at 100,000/s?", 0, List.of(256)),
    /** No fsync was waited for before the kill. */
    OPEN("How long does it take to open what a killed process left?", 1024, List.of(1024)),
    OPEN_DURABLE("The same, if all but 4 MiB were durable.", 1024, List.of(1024)),
    START("How long from the start of a process to its first durable record?", 64, List.of(256)),
    /** Moves a reader about in a long history of small segments; not compared. */
    SEEK("", 64, List.of(64)),
    /** Many journals that are open and not used; not compared. */
    IDLE("", 0, List.of(256), 1, 20, 200, 1000);

    /** The question that a comparison of subjects answers; empty if there is none. */
    final String question;
    /** Bytes of records at full size; 0 if it measures for a time. */
    final long fullLength;
    final List<Integer> recordLengths;
    /** Numbers of threads, of records in flight, or of journals; empty if it has none. */
    final List<Integer> threads;

    Workload(
        final String question, final int fullMib, final List<Integer> recordLengths, final Integer... threads)
    {
        this.question = question;
        fullLength = (long)fullMib * Unit.MIB;
        this.recordLengths = recordLengths;
        this.threads = List.of(threads);
    }

    /** Whether records become durable as they are appended. */
    public boolean isDurable()
    {
        return DURABLE == this || PIPELINED == this || START == this;
    }

    /** Whether several threads append. */
    public boolean isShared()
    {
        return DURABLE == this || SHARED == this;
    }
}
