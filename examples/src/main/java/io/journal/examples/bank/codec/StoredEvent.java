package io.journal.examples.bank.codec;

import java.util.UUID;

import io.journal.examples.bank.domain.Event;

/**
 * What a record of the journal holds.
 *
 * @param commandId of the command that caused the event.
 * @param event     in its current version.
 */
public record StoredEvent(UUID commandId, Event event)
{
}
