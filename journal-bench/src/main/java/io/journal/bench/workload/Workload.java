// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.List;

/**
 * A kind of measurement, with the record lengths and numbers at which subjects are compared.
 */
public enum Workload
{
    PREPARED("How fast is a burst of appends, inside a prepared segment?", List.of(64, 256, 1024, 4096)),
    SUSTAINED("How fast is a stream of appends, until its last fsync as well?", List.of(64, 256, 1024, 4096)),
    SHARED("How fast do several threads append?", List.of(256), 2, 4),
    DURABLE("How many durable records/s do 1, 16 and 64 threads have?", List.of(256), 1, 16, 64),
    PIPELINED("How many has one thread with up to 4,096 records in flight?", List.of(256), 1, 16, 256, 4096),
    REPLAY("How fast is everything read?", List.of(64, 256, 1024, 4096)),
    LOOKUP("How fast are single records read at random?", List.of(1024), 1, 4),
    FIRST_LOOKUP("What do the first records cost that are read after an opening?", List.of(1024)),
    PACED("What is the tail of an append at 100,000/s?", List.of(256)),
    FOLLOWED("How long until another thread has a record, at 100,000/s?", List.of(256)),
    /** No fsync was waited for before the kill. */
    OPEN("How long does it take to open what a killed process left?", List.of(1024)),
    OPEN_DURABLE("The same, if all but 4 MiB were durable.", List.of(1024)),
    START("How long from the start of a process to its first durable record?", List.of(256)),
    /** Moves a reader about in a long history of small segments; not compared. */
    SEEK("", List.of(64)),
    /** Many journals that are open and not used; not compared. */
    IDLE("", List.of(256), 1, 20, 200, 1000);

    private final String question;
    private final List<Integer> recordLengths;
    private final List<Integer> threads;

    Workload(final String question, final List<Integer> recordLengths, final Integer... threads)
    {
        this.question = question;
        this.recordLengths = recordLengths;
        this.threads = List.of(threads);
    }

    /** The question that a comparison of subjects answers; empty if there is none. */
    public String question()
    {
        return question;
    }

    public List<Integer> recordLengths()
    {
        return recordLengths;
    }

    /** Numbers of threads, of records in flight, or of journals; empty if it has none. */
    public List<Integer> threads()
    {
        return threads;
    }

    /** Whether it measures for a time, not for a number of bytes. */
    public boolean isTimed()
    {
        return DURABLE == this || PIPELINED == this || LOOKUP == this || PACED == this || FOLLOWED == this ||
            IDLE == this;
    }

    /** Whether records become durable as they are appended. */
    public boolean isDurable()
    {
        return DURABLE == this || PIPELINED == this || START == this;
    }

    /** Whether one process leaves files that the next process opens. */
    public boolean isOpening()
    {
        return OPEN == this || OPEN_DURABLE == this;
    }

    /** Whether several threads append. */
    public boolean isShared()
    {
        return DURABLE == this || SHARED == this;
    }
}
