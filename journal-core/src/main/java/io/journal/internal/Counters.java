// SPDX-License-Identifier: Apache-2.0
package io.journal.internal;

import io.journal.JournalCounters;

/**
 * The counters of an engine: its ends, and the counts of its parts.
 */
final class Counters implements JournalCounters
{
    private final Engine engine;

    Counters(final Engine engine)
    {
        this.engine = engine;
    }

    @Override
    public boolean isFailed()
    {
        return engine.latch.isFailed();
    }

    @Override
    public long appendedPosition()
    {
        return engine.positions.appendedPosition();
    }

    @Override
    public long appendedSequence()
    {
        return engine.positions.appendedSequence();
    }

    @Override
    public long writtenPosition()
    {
        return engine.positions.writtenPosition();
    }

    @Override
    public long writtenSequence()
    {
        return engine.positions.writtenSequence();
    }

    @Override
    public long forcedPosition()
    {
        return engine.positions.forcedPosition();
    }

    @Override
    public long forcedSequence()
    {
        return engine.positions.forcedSequence();
    }

    @Override
    public long segments()
    {
        return engine.segments();
    }

    @Override
    public long preparedSegments()
    {
        return engine.supply.prepared();
    }

    @Override
    public long refusals()
    {
        return engine.supply.refusals();
    }

    @Override
    public long forces()
    {
        return engine.forcer.times().count();
    }

    @Override
    public long forceTimeNs()
    {
        return engine.forcer.times().totalNs();
    }

    @Override
    public long maxForceTimeNs()
    {
        return engine.forcer.times().maxNs();
    }

    @Override
    public long waiters()
    {
        return engine.forcer.waiters();
    }

    @Override
    public String toString()
    {
        return "JournalCounters{appendedSequence=" + appendedSequence() +
            ", writtenSequence=" + writtenSequence() +
            ", forcedSequence=" + forcedSequence() +
            ", segments=" + segments() +
            ", forces=" + forces() +
            ", forceTimeNs=" + forceTimeNs() +
            ", maxForceTimeNs=" + maxForceTimeNs() +
            ", waiters=" + waiters() +
            ", preparedSegments=" + preparedSegments() +
            ", refusals=" + refusals() +
            ", isFailed=" + isFailed() + '}';
    }
}
