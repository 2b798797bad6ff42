// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.util.concurrent.CompletableFuture;

/** A running consumer: see {@link EventStreams#subscribe}. Thread-safe. */
public interface Subscription extends AutoCloseable
{
    /** {@return the position up to which the consumer has handled all events that match} */
    long position();

    /**
     * {@return a future that completes when the subscription ends} Exceptionally with what the handler has thrown, or
     * if events after the cursor were pruned ({@link PrunedException}) or the journal truncated. To repeat the
     * event, subscribe again.
     */
    CompletableFuture<Void> failure();

    /**
     * Stops the consumer and saves its cursor. No call of the handler is in progress on return, unless the handler
     * itself calls this: then no further call follows, and the current event counts as handled. Idempotent.
     */
    @Override
    void close();
}
