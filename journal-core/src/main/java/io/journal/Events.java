package io.journal;

/**
 * Tells Flight Recorder what takes time. This class does nothing, which is all there is to do in a runtime without the
 * module {@code jdk.jfr}; {@link FlightEvents} is loaded only where that is there.
 * <p>
 * Each {@code begin} returns the event under way, or null if nobody records it; nothing is allocated then.
 */
class Events
{
    static final Events INSTANCE = ModuleLayer.boot().findModule("jdk.jfr").isPresent() ? Recorder.get() : new Events();

    Object beginForce()
    {
        return null;
    }

    void endForce(final Object event, final Segment segment, final int from, final int to, final int waiters)
    {
    }

    Object beginRoll()
    {
        return null;
    }

    void endRoll(final Object event, final Segment segment)
    {
    }

    Object beginPrepare()
    {
        return null;
    }

    void endPrepare(final Object event, final Segment segment, final boolean isRecycled)
    {
    }

    Object beginRecovery()
    {
        return null;
    }

    void endRecovery(
        final Object event, final Object path, final boolean isCleanlyClosed, final long lastSequence,
        final long scannedBytes, final long cutBytes)
    {
    }

    /** Keeps the verifier of the class above from looking for what may not be there. */
    private static final class Recorder
    {
        static Events get()
        {
            return new FlightEvents();
        }
    }
}
