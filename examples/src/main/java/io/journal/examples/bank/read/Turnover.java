// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.examples.bank.domain.Event;
import io.journal.store.Backend;

/**
 * The read model that another process builds: how much money was moved. A small file holds the sums together with the
 * sequence of the last event in them, and is replaced as a whole. Sums and sequence always match, so each event is
 * counted exactly once.
 *
 * @param sequence         last event in the sums.
 * @param events           number of events.
 * @param depositedCents   all deposits.
 * @param withdrawnCents   all withdrawals.
 * @param transferredCents all transfers.
 */
public record Turnover(long sequence, long events, long depositedCents, long withdrawnCents, long transferredCents)
{
    /** The model before the first event. */
    public static final Turnover NONE = new Turnover(0, 0, 0, 0, 0);

    private static final ObjectMapper JSON = new ObjectMapper();

    /** {@return the model after the next event} */
    public Turnover plus(final long newSequence, final Event event)
    {
        return new Turnover(
            newSequence, events + 1, depositedCents + centsIf(event, Event.Kind.DEPOSITED),
            withdrawnCents + centsIf(event, Event.Kind.WITHDRAWN),
            transferredCents + centsIf(event, Event.Kind.TRANSFERRED));
    }

    private static long centsIf(final Event event, final Event.Kind kind)
    {
        return kind == event.kind() ? event.cents() : 0;
    }

    /** {@return the model stored in a file, or an empty model if there is no file} */
    public static Turnover read(final Path file) throws IOException
    {
        return Files.exists(file) ? JSON.readValue(file.toFile(), Turnover.class) : NONE;
    }

    /**
     * Replaces a file. On return the new content is durable, so the bank may prune the events in it. A crash leaves the
     * old content or the new content.
     */
    public void write(final Path file) throws IOException
    {
        final Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.write(
            temporary, JSON.writeValueAsBytes(this), StandardOpenOption.CREATE, StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.SYNC);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        // Fsync the directory as well: otherwise a power loss could undo the rename and bring the old file back.
        Backend.FILE_CHANNEL.store(file.toAbsolutePath().getParent()).force();
    }
}
