// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Many clients that send transfers over HTTP, each with one command in flight. They remember the ids of the commands
 * that were answered. A command that gets no answer is sent again with the same id.
 */
final class LoadClient
{
    private static final long REPEAT_MS = 50;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Executor later = CompletableFuture.delayedExecutor(REPEAT_MS, TimeUnit.MILLISECONDS);
    private final Queue<UUID> executed = new ConcurrentLinkedQueue<>();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong repeats = new AtomicLong();
    private final Phaser running = new Phaser(1);
    private final int port;
    private final int accounts;
    private final Random random;
    private volatile boolean isStopped;

    LoadClient(final int port, final int accounts, final long seed)
    {
        this.port = port;
        this.accounts = accounts;
        random = new Random(seed);
    }

    /** Opens the accounts and deposits money. An account that is already open gets another deposit. */
    void openAccounts(final int cents) throws IOException, InterruptedException
    {
        final String batch = IntStream.rangeClosed(1, accounts).mapToObj(
            (account) -> command("{'type':'open','accountId':" + account + ",'owner':'Customer'}") + "," +
                command("{'type':'deposit','accountId':" + account + ",'cents':" + cents + "}"))
            .collect(Collectors.joining(",", "[", "]"));
        final HttpResponse<String> response = http.send(post("/api/batch", batch), BodyHandlers.ofString());
        if (200 != response.statusCode())
        {
            throw new IOException(response.body());
        }
    }

    HttpResponse<String> send(final String path) throws IOException, InterruptedException
    {
        return http.send(post(path, "{}"), BodyHandlers.ofString());
    }

    void start(final int clients)
    {
        running.bulkRegister(clients);
        for (int i = 0; i < clients; i++)
        {
            sendNext();
        }
    }

    /** Waits for the answers to all commands in flight; returns the ids of the executed commands. */
    List<UUID> stop()
    {
        isStopped = true;
        running.arriveAndAwaitAdvance();
        return List.copyOf(executed);
    }

    /** Waits until this many more commands are answered. */
    void awaitAnswers(final int more) throws InterruptedException
    {
        final long expected = answered.get() + more;
        while (answered.get() < expected)
        {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** Returns how many times a command was sent again. */
    long repeats()
    {
        return repeats.get();
    }

    private void sendNext()
    {
        if (isStopped)
        {
            running.arriveAndDeregister();
            return;
        }

        final UUID id = UUID.randomUUID();
        final int from = random.nextInt(accounts);
        final int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
        send(id, post("/api/commands", command(id, "{'type':'transfer','accountId':" + (from + 1) +
            ",'toAccountId':" + (to + 1) + ",'cents':" + (1 + random.nextInt(100)) + "}")));
    }

    private void send(final UUID id, final HttpRequest request)
    {
        http.sendAsync(request, BodyHandlers.discarding()).whenComplete((response, error) ->
        {
            if (null != error || response.statusCode() >= 500)
            {
                repeats.incrementAndGet();
                later.execute(() -> send(id, request));
                return;
            }
            if (200 == response.statusCode())
            {
                executed.add(id);
            }
            answered.incrementAndGet();
            sendNext();
        });
    }

    private static String command(final String command)
    {
        return command(UUID.randomUUID(), command);
    }

    private static String command(final UUID id, final String command)
    {
        return "{'id':'" + id + "','command':" + command + "}";
    }

    private HttpRequest post(final String path, final String body)
    {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"'))).build();
    }
}
