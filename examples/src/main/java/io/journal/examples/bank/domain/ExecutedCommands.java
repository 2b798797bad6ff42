// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The ids of the commands that were executed last, so that a command sent again is not executed again. The window is
 * bounded: once it is full, each new id replaces the oldest. Every event contains the id of its command, and every
 * snapshot contains this window, so a restart forgets nothing. Not thread-safe.
 */
public final class ExecutedCommands
{
    /** Number of ids in the window. At 10,000 commands a second, a client has 10 seconds to repeat a command. */
    public static final int WINDOW = 100_000;

    private final Map<UUID, Long> sequences = new LinkedHashMap<>();

    /** {@return the sequence of a command's event, or 0 if no command in the window has this id} */
    public long sequence(final UUID id)
    {
        return sequences.getOrDefault(id, 0L);
    }

    /** Adds a command, and forgets the oldest one if the window is full. */
    public void add(final UUID id, final long sequence)
    {
        sequences.put(id, sequence);
        if (sequences.size() > WINDOW)
        {
            sequences.remove(sequences.keySet().iterator().next());
        }
    }

    /** {@return all commands in the window with the sequences of their events, the oldest first} */
    public Map<UUID, Long> all()
    {
        return Collections.unmodifiableMap(sequences);
    }
}
