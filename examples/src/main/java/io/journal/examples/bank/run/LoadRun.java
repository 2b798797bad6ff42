package io.journal.examples.bank.run;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

/**
 * Measures a bank that is running: transfers over HTTP, one command in a request, answered when it is durable.
 */
public final class LoadRun
{
    private static final int ACCOUNTS = 100;
    private static final int DEPOSIT_CENTS = 1_000_000;

    private LoadRun()
    {
    }

    /**
     * Entry point.
     *
     * @param args {@code --port} of the bank, {@code --connections}, {@code --seconds} and {@code --warm-up} seconds.
     * @throws IOException          if the bank does not answer.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Options options = new Options(args, List.of("port", "connections", "seconds", "warm-up"));
        final int port = options.number("port", 7070);
        final int connections = options.number("connections", 1_000);
        final int seconds = options.number("seconds", 10);
        openAccounts(port, ACCOUNTS, DEPOSIT_CENTS);
        measure(port, connections, options.number("warm-up", 10));
        print(connections, seconds, measure(port, connections, seconds));
    }

    /**
     * Opens accounts with some money. Those that are open already keep what they have, and get that deposit as well.
     *
     * @param port     of the bank.
     * @param accounts number of accounts, numbered from 1.
     * @param cents    deposit to each.
     * @throws IOException          if the bank does not answer.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void openAccounts(final int port, final int accounts, final int cents)
        throws IOException, InterruptedException
    {
        final StringBuilder batch = new StringBuilder("[");
        for (int account = 1; account <= accounts; account++)
        {
            batch.append(1 == account ? "" : ",")
                .append("{\"id\":\"").append(UUID.randomUUID()).append("\",\"type\":\"open\",\"account\":")
                .append(account).append(",\"owner\":\"Customer ").append(account).append("\"},")
                .append("{\"id\":\"").append(UUID.randomUUID()).append("\",\"type\":\"deposit\",\"account\":")
                .append(account).append(",\"cents\":").append(cents).append('}');
        }
        final HttpResponse<String> response = HttpClient.newHttpClient().send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/batch"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(batch.append(']').toString())).build(),
            HttpResponse.BodyHandlers.ofString());
        if (200 != response.statusCode())
        {
            throw new IOException("accounts were not opened: " + response.body());
        }
    }

    private static LoadClient measure(final int port, final int connections, final int seconds) throws IOException
    {
        try (LoadClient client = new LoadClient(port, connections, ACCOUNTS, System.nanoTime()))
        {
            client.run(TimeUnit.SECONDS.toNanos(seconds));
            return client;
        }
    }

    private static void print(final int connections, final int seconds, final LoadClient client)
    {
        final Histogram latencies = client.latencies();
        System.out.printf(
            Locale.ROOT, "connections=%d seconds=%d commands=%d commands/s=%.0f%n", connections, seconds,
            client.answered(), (double)client.answered() / seconds);
        for (final double percentile : new double[]{ 50, 90, 99, 99.9, 100 })
        {
            System.out.printf(
                Locale.ROOT, "%5s %% of the answers within %7.2f ms%n", percentile,
                latencies.getValueAtPercentile(percentile) / 1e6);
        }
    }
}
