package io.journal.examples.bank.web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.javalin.http.sse.SseClient;
import io.journal.RecordHandler;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.BankStatus;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.read.Entry;

/**
 * What the page sees, as server-sent events: four times a second the newest events, the balances and the figures. Each
 * watcher has a thread, so a watcher that does not read delays no other.
 */
final class LiveStream
{
    private static final int MAX_WATCHERS = 64;
    private static final int SHOWN_EVENTS = 30;
    private static final int INTERVAL_MS = 250;

    private final Semaphore room = new Semaphore(MAX_WATCHERS);
    private final BankApplication bank;
    private volatile boolean isOpen = true;

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
        final EventCodec codec = new EventCodec();
        long shown = 0;
        try
        {
            while (isOpen && !client.terminated())
            {
                final long durable = bank.journal().forcedSequence();
                final String message;
                try
                {
                    message = message(newest(shown + 1, durable, codec));
                }
                catch (final JsonProcessingException | RuntimeException ex)
                {
                    // The bank is being closed, or its history was pruned meanwhile: the browser connects again.
                    client.close();
                    throw new IllegalStateException("nothing to show", ex);
                }
                client.sendEvent("bank", message);
                shown = durable;
                Thread.sleep(INTERVAL_MS);
            }
        }
        catch (final RuntimeException | InterruptedException ex)
        {
            // Also if the watcher is gone: there is nothing to close then.
            System.getLogger(LiveStream.class.getName()).log(System.Logger.Level.DEBUG, "the stream ends", ex);
        }
        finally
        {
            room.release();
        }
    }

    /** The newest events of a range, as many as the page shows. */
    private List<Entry> newest(final long first, final long last, final EventCodec codec)
    {
        final List<Entry> entries = new ArrayList<>();
        final RecordHandler handler = (buffer, offset, length, header) -> entries.add(
            Entry.of(header.sequence(), codec.decode(buffer, offset, length, header)));
        for (long sequence = Math.max(first, last - SHOWN_EVENTS + 1); sequence <= last; sequence++)
        {
            bank.journal().get(sequence, handler);
        }
        return entries;
    }

    private String message(final List<Entry> events) throws JsonProcessingException
    {
        final BankStatus status = bank.status();
        final Map<String, Object> message = new LinkedHashMap<>();
        message.put("pid", ProcessHandle.current().pid());
        message.put("timeMs", System.currentTimeMillis());
        message.put("status", status);
        message.put("events", events);
        message.put(
            "accounts",
            null == status.totals() ? List.of() : bank.accounts().model().accounts(QueryApi.SHOWN_ACCOUNTS));
        return Json.MAPPER.writeValueAsString(message);
    }
}
