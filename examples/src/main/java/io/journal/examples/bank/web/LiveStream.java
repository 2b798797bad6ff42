package io.journal.examples.bank.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpExchange;
import io.journal.RecordHandler;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.BankStatus;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.domain.Event;
import org.agrona.DirectBuffer;

/**
 * What watchers of the page see, as server-sent events: a few times a second the newest events, the balances and the
 * counters, as one message that is made once for all watchers. A watcher that does not keep up is cut off; its browser
 * connects again.
 */
final class LiveStream implements AutoCloseable
{
    private static final int MAX_WATCHERS = 64;
    private static final int SHOWN_EVENTS = 30;
    private static final int SHOWN_ACCOUNTS = 50;
    private static final long TICK_MS = 250;

    private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService ticker =
        Executors.newSingleThreadScheduledExecutor((task) -> BankWebServer.daemon(task, "bank-stream"));
    private final EventCodec codec = new EventCodec();
    private final BankApplication bank;
    private long shownSequence;

    /**
     * An event on the page.
     */
    private record ShownEvent(long sequence, long tag, String kind, long account, long to, long cents, String owner)
    {
        static ShownEvent of(final long sequence, final long tag, final Event event)
        {
            if (event instanceof Event.Transferred transferred)
            {
                return new ShownEvent(
                    sequence, tag, "transferred", transferred.fromAccountId(), transferred.toAccountId(),
                    transferred.amountCents(), "");
            }
            if (event instanceof Event.Deposited deposited)
            {
                return new ShownEvent(
                    sequence, tag, "deposited", deposited.accountId(), 0, deposited.amountCents(), "");
            }
            if (event instanceof Event.Withdrawn withdrawn)
            {
                return new ShownEvent(
                    sequence, tag, "withdrawn", withdrawn.accountId(), 0, withdrawn.amountCents(), "");
            }
            final Event.AccountOpened opened = (Event.AccountOpened)event;
            return new ShownEvent(sequence, tag, "opened", opened.accountId(), 0, 0, opened.owner());
        }
    }

    LiveStream(final BankApplication bank)
    {
        this.bank = bank;
        shownSequence = Math.max(0, bank.durableSequence() - SHOWN_EVENTS);
    }

    void start()
    {
        ticker.scheduleWithFixedDelay(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
    }

    void open(final HttpExchange exchange) throws IOException, HttpError
    {
        if (watchers.size() >= MAX_WATCHERS)
        {
            throw new HttpError(503, "too many watchers");
        }

        final Watcher watcher = new Watcher(exchange, watchers::remove);
        watcher.offer(message(newest(1, bank.durableSequence())));
        watchers.add(watcher);
        watcher.start();
    }

    @Override
    public void close()
    {
        ticker.shutdownNow();
        watchers.forEach(Watcher::close);
    }

    private void tick()
    {
        try
        {
            final long durable = bank.durableSequence();
            final List<ShownEvent> events = newest(shownSequence + 1, durable);
            if (!watchers.isEmpty())
            {
                final byte[] message = message(events);
                watchers.forEach((watcher) -> watcher.offer(message));
            }
            shownSequence = durable;
        }
        catch (final RuntimeException ex)
        {
            // What cannot be shown now is shown the next time, unless the bank is being closed.
            log(System.Logger.Level.DEBUG, "nothing to show", ex);
        }
        catch (final Error ex)
        {
            // If this threw, the executor would drop the task and its exception.
            log(System.Logger.Level.ERROR, "the page was not updated", ex);
        }
    }

    private static void log(final System.Logger.Level level, final String message, final Throwable ex)
    {
        System.getLogger(LiveStream.class.getName()).log(level, message, ex);
    }

    /** The newest events of a range, as many as the page shows. */
    private List<ShownEvent> newest(final long first, final long last)
    {
        final List<ShownEvent> events = new ArrayList<>();
        final RecordHandler handler =
            (buffer, offset, length, header) -> events.add(shown(buffer, offset, length, header));
        for (long sequence = Math.max(first, last - SHOWN_EVENTS + 1); sequence <= last; sequence++)
        {
            bank.get(sequence, handler);
        }
        return events;
    }

    private ShownEvent shown(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        // Used by the ticker and by each thread that opens a stream.
        synchronized (codec)
        {
            return ShownEvent.of(header.sequence(), header.tag(), codec.decode(buffer, offset, length).event());
        }
    }

    private byte[] message(final List<ShownEvent> events)
    {
        final Map<String, Object> message = new LinkedHashMap<>();
        message.put("pid", ProcessHandle.current().pid());
        message.put("timeMs", System.currentTimeMillis());
        final BankStatus status = bank.status();
        message.put("status", status);
        message.put("accounts", null == status.totals() ? List.of() : bank.accounts().accounts(SHOWN_ACCOUNTS));
        message.put("events", events);
        return Json.bytes(message);
    }
}
