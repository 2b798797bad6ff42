// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;

import io.javalin.http.sse.SseClient;
import io.journal.RecordHandler;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.codec.EventCodec.StoredEvent;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Event;

/**
 * Sends the page what it shows, as server-sent events: the newest events, the balances and the figures, four times a
 * second. Each watcher has a thread, so a watcher that does not read delays no other.
 */
final class LiveStream
{
    private static final int MAX_WATCHERS = 64;
    private static final int SHOWN_EVENTS = 30;
    private static final int INTERVAL_MS = 250;

    private final Semaphore room = new Semaphore(MAX_WATCHERS);
    private final BankApplication bank;
    private volatile boolean isOpen = true;

    private record Shown(long sequence, UUID commandId, Event.Kind kind, Event event)
    {
    }

    private record Message(
        long pid, long timeMs, BankApplication.Status status, List<Shown> events, List<Account> accounts)
    {
    }

    LiveStream(final BankApplication bank)
    {
        this.bank = bank;
    }

    void open(final SseClient client)
    {
        if (!room.tryAcquire())
        {
            client.close();
            return;
        }

        client.keepAlive();
        final Thread thread = new Thread(() -> watch(client), "bank-watcher");
        thread.setDaemon(true);
        thread.start();
    }

    void close()
    {
        isOpen = false;
    }

    private void watch(final SseClient client)
    {
        long shown = 0;
        try
        {
            while (isOpen && !client.terminated())
            {
                final long durable = bank.journal().forcedSequence();
                final String message = message(shown + 1, durable);
                if (null != message)
                {
                    client.sendEvent("bank", message);
                    shown = durable;
                }
                Thread.sleep(INTERVAL_MS);
            }
        }
        catch (final InterruptedException | RuntimeException ex)
        {
            // The client has disconnected, so there is nothing left to close.
            return;
        }
        finally
        {
            room.release();
        }
    }

    /** Returns the newest events of a range, as many as the page shows. */
    private List<Shown> newest(final long first, final long last)
    {
        final EventCodec codec = new EventCodec();
        final List<Shown> events = new ArrayList<>();
        final RecordHandler handler = (buffer, offset, length, header) ->
        {
            final StoredEvent stored = codec.decode(buffer, offset, length, header);
            events.add(new Shown(header.sequence(), stored.commandId(), stored.event().kind(), stored.event()));
        };
        for (long sequence = Math.max(first, last - SHOWN_EVENTS + 1); sequence <= last; sequence++)
        {
            bank.journal().get(sequence, handler);
        }
        return events;
    }

    /** Returns null if the data is not available now, for example while a read model is being replaced. */
    private String message(final long first, final long last)
    {
        try
        {
            final BankApplication.Status status = bank.status();
            return Json.MAPPER.writeValueAsString(new Message(
                ProcessHandle.current().pid(), System.currentTimeMillis(), status, newest(first, last),
                null == status.totals() ? List.of() : bank.accounts().model().accounts(QueryApi.SHOWN_ACCOUNTS)));
        }
        catch (final IOException | RuntimeException ex)
        {
            System.getLogger(LiveStream.class.getName()).log(System.Logger.Level.DEBUG, "no message for the page", ex);
            return null;
        }
    }
}
