// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.observe;

import io.journal.internal.segment.Segment;

/**
 * Emits Flight Recorder events of operations that take time. This class is a no-op, for runtimes without the module
 * {@code jdk.jfr}; {@link FlightEvents} is loaded only if that module is present.
 * <p>
 * Each {@code begin} returns the started event, or null if it is not being recorded; nothing is allocated then.
 */
public class Events
{
    public static final Events INSTANCE =
        ModuleLayer.boot().findModule("jdk.jfr").isPresent() ? Recorder.get() : new Events();

    public Object beginForce()
    {
        return null;
    }

    public void endForce(
        final Object event, final String journal, final Segment segment, final int from, final int to,
        final int waiters)
    {
    }

    public Object beginRoll()
    {
        return null;
    }

    public void endRoll(final Object event, final String journal, final Segment segment)
    {
    }

    public Object beginPrepare()
    {
        return null;
    }

    public void endPrepare(
        final Object event, final String journal, final Segment segment, final boolean isRecycled)
    {
    }

    public Object beginRecovery()
    {
        return null;
    }

    public void endRecovery(
        final Object event, final String journal, final Object path, final boolean isCleanlyClosed,
        final long lastSequence, final long scannedBytes, final long cutBytes)
    {
    }

    /** Keeps the verifier of the enclosing class from loading {@link FlightEvents} where {@code jdk.jfr} is absent. */
    private static final class Recorder
    {
        static Events get()
        {
            return new FlightEvents();
        }
    }
}
