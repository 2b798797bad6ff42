package io.journal.bench.workload;

import io.journal.bench.subject.Subject;

/**
 * Number of visited records, and a value that depends on the content and order of all of them.
 */
final class Digest implements Subject.Visitor
{
    private static final int FACTOR = 31;

    private long count;
    private long value;

    @Override
    public void visit(final long first, final long last, final int length)
    {
        count++;
        value = FACTOR * value + (first ^ Long.rotateLeft(last, 1)) + length;
    }

    long count()
    {
        return count;
    }

    long value()
    {
        return value;
    }
}
