// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

/** Callback invoked once per event. */
@FunctionalInterface
public interface EventHandler
{
    /**
     * Handles an event. It may read and append, but must neither truncate nor prune the journal, nor close it.
     *
     * @param event valid during the call only.
     */
    void onEvent(EventView event);
}
