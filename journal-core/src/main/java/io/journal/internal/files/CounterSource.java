package io.journal.internal.files;

/**
 * Source of the counters: the writer itself, or the copy that it publishes in {@code journal.mark}, in the same order.
 */
public interface CounterSource
{
    int APPENDED_POSITION = 0;
    int APPENDED_SEQUENCE = 1;
    int WRITTEN_POSITION = 2;
    int WRITTEN_SEQUENCE = 3;
    int FORCED_POSITION = 4;
    int FORCED_SEQUENCE = 5;
    int SEGMENTS = 6;
    int FORCES = 7;
    int FORCE_TIME_NS = 8;
    int MAX_FORCE_TIME_NS = 9;
    int WAITERS = 10;
    int REFUSALS = 11;
    int PREPARED_SEGMENTS = 12;
    int FAILED = 13;
    int COUNT = 14;

    long get(int counter);

    boolean isLive();

    long timeMs();
}
