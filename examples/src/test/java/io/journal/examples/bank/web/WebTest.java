package io.journal.examples.bank.web;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.examples.LogRecords;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.BankDirectory;
import io.journal.examples.bank.command.SnapshotPolicy;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.journal.BankJournal;
import io.journal.examples.bank.journal.LocalJournal;
import io.journal.examples.bank.read.ReadModelRunner;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Requests as they should be, and as they should not be: those change nothing.
 */
@Timeout(900)
class WebTest
{
    private static final String COMMANDS = "/api/commands";
    private static final String STREAM = "GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    static Path tempDir;

    private static BankApplication bank;
    private static BankWebServer web;
    private long sequenceBefore;

    @BeforeAll
    static void open() throws Exception
    {
        bank = BankApplication.open(new BankDirectory(tempDir.resolve("bank")), SnapshotPolicy.MANUAL);
        web = BankWebServer.start(bank, 0, null, null);
        post(COMMANDS, command("\"type\":\"open\",\"account\":1,\"owner\":\"Ada\""));
        post(COMMANDS, command("\"type\":\"open\",\"account\":2,\"owner\":\"Bob\""));
        post(COMMANDS, command("\"type\":\"deposit\",\"account\":1,\"cents\":1000"));
    }

    @AfterAll
    static void close()
    {
        CloseHelper.closeAll(web, bank);
    }

    @BeforeEach
    void noteSequence()
    {
        sequenceBefore = bank.durableSequence();
    }

    @AfterEach
    void nothingIsLost() throws Exception
    {
        final HttpResponse<String> response = get("/api/accounts?after=" + bank.durableSequence());
        assertEquals(1000, JSON.readTree(response.body()).path("totals").path("balanceCents").longValue());
    }

    static Stream<Arguments> malformed()
    {
        final String id = "\"id\":\"" + UUID.randomUUID() + "\",";
        return Stream.of(
            arguments(400, ""),
            arguments(400, "{"),
            arguments(400, "[]"),
            arguments(400, "7"),
            arguments(400, "{}"),
            arguments(400, "{\"type\":\"deposit\",\"account\":1,\"cents\":1}"),
            arguments(400, "{\"id\":\"1-1-1-1-1\",\"type\":\"deposit\",\"account\":1,\"cents\":1}"),
            arguments(400, "{\"id\":7,\"type\":\"deposit\",\"account\":1,\"cents\":1}"),
            arguments(400, "{" + id + "\"type\":\"rob\",\"account\":1,\"cents\":1}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":0}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":-5}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":1.5}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":\"1\"}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":92233720368547758080}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":1,\"cents\":2}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":1,\"more\":2}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":1} {}"),
            arguments(400, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":1,\"expectedVersion\":-1}"),
            arguments(400, "{" + id + "\"type\":\"transfer\",\"account\":1,\"to\":1,\"cents\":1}"),
            arguments(400, "{" + id + "\"type\":\"open\",\"account\":0,\"owner\":\"Ada\"}"),
            arguments(400, "{" + id + "\"type\":\"open\",\"account\":9,\"owner\":\"" + "a".repeat(61) + "\"}"),
            arguments(404, "{" + id + "\"type\":\"deposit\",\"account\":9,\"cents\":1}"),
            arguments(404, "{" + id + "\"type\":\"transfer\",\"account\":1,\"to\":9,\"cents\":1}"),
            arguments(409, "{" + id + "\"type\":\"withdraw\",\"account\":1,\"cents\":1001}"),
            arguments(409, "{" + id + "\"type\":\"withdraw\",\"account\":2,\"cents\":9999}"),
            arguments(409, "{" + id + "\"type\":\"deposit\",\"account\":1,\"cents\":9000000000000000}"),
            arguments(409, "{" + id + "\"type\":\"open\",\"account\":1,\"owner\":\"Eve\"}"),
            arguments(409, "{" + id + "\"type\":\"withdraw\",\"account\":1,\"cents\":1,\"expectedVersion\":1}"),
            arguments(413, "{" + id + "\"owner\":\"" + "a".repeat(5_000) + "\"}"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void commandThatIsWrongIsAnsweredWithWhyAndChangesNothing(final int status, final String body) throws Exception
    {
        final HttpResponse<String> response = post(COMMANDS, body);

        assertEquals(status, response.statusCode(), response::body);
        assertTrue(JSON.readTree(response.body()).path("message").textValue().length() > 5, response::body);
        assertNothingChanged();
    }

    @Test
    void transferMovesMoneyAndIsAnsweredWhenDurable() throws Exception
    {
        final String body = command("\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":10,\"expectedVersion\":" +
            bank.accounts().account(1).orElseThrow().version());

        final JsonNode first = JSON.readTree(post(COMMANDS, body).body());
        final JsonNode second = JSON.readTree(post(COMMANDS, body).body());
        final HttpResponse<String> reused = post(COMMANDS, body.replace(":10,", ":11,"));

        assertEquals("executed", first.get("result").textValue());
        assertEquals(sequenceBefore + 1, first.get("sequence").longValue());
        assertTrue(bank.durableSequence() > sequenceBefore);
        assertEquals("repeated", second.get("result").textValue());
        assertEquals(first.get("sequence"), second.get("sequence"));
        assertEquals(422, reused.statusCode());
        assertEquals("ID_REUSED", JSON.readTree(reused.body()).get("reason").textValue());
        assertEquals(sequenceBefore + 1, bank.durableSequence());
    }

    @Test
    void batchExecutesWhatItCanAndReportsWhatItCannot() throws Exception
    {
        final HttpResponse<String> response = post("/api/batch", "[" +
            command("\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":1") + "," +
            command("\"type\":\"withdraw\",\"account\":1,\"cents\":100000") + "]");

        final JsonNode results = JSON.readTree(response.body());
        assertEquals(200, response.statusCode());
        assertEquals(200, results.get(0).get("status").intValue());
        assertEquals("OVERDRAFT", results.get(1).get("reason").textValue());
        assertEquals(sequenceBefore + 1, bank.durableSequence());
    }

    @Test
    void batchWithAMalformedCommandChangesNothing() throws Exception
    {
        final String good = command("\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":1");

        assertEquals(400, post("/api/batch", "[" + good + ",{}]").statusCode());
        assertEquals(400, post("/api/batch", "[]").statusCode());
        assertEquals(400, post("/api/batch", "[" + (good + ",").repeat(1_000) + good + "]").statusCode());
        assertEquals(413, post("/api/batch", "[" + "7,".repeat(200_000) + "7]").statusCode());
        assertNothingChanged();
    }

    @Test
    void auditFindsEachCommandOnce() throws Exception
    {
        final UUID id = UUID.randomUUID();
        post(COMMANDS, "{\"id\":\"" + id + "\",\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":1}");

        final JsonNode audit =
            JSON.readTree(post("/api/audit", "[\"" + id + "\",\"" + UUID.randomUUID() + "\"]").body());
        final JsonNode ledger = JSON.readTree(get("/api/ledger").body());

        assertEquals(1, audit.get("once").intValue());
        assertEquals(1, audit.get("missing").intValue());
        assertEquals(0, audit.get("repeated").intValue());
        assertEquals(0, ledger.get("duplicates").intValue());
        assertEquals(1000, ledger.get("totalCents").intValue());
        assertEquals(400, post("/api/audit", "[7]").statusCode());
        assertEquals(400, post("/api/audit", "{}").statusCode());
    }

    @Test
    void snapshotRebuildAndPruneAnswer() throws Exception
    {
        assertEquals(200, post("/api/snapshot", "{}").statusCode());
        assertEquals(200, post("/api/rebuild", "{}").statusCode());
        assertEquals(200, post("/api/prune", "{}").statusCode());
        // Nobody is there to start it again.
        assertEquals(409, post("/api/kill", "{}").statusCode());
        assertNothingChanged();
    }

    @ParameterizedTest
    @ValueSource(strings = { "GET /api/commands", "PUT /api/commands", "DELETE /", "POST /", "POST /api/status",
        "HEAD /api/stream", "GET /api/kill", "OPTIONS /api/commands" })
    void methodThatIsWrongIsNotAllowed(final String line) throws Exception
    {
        final String[] parts = line.split(" ");
        final HttpResponse<String> response = send(
            request(parts[1]).method(parts[0], HttpRequest.BodyPublishers.noBody()));

        assertEquals(405, response.statusCode());
        assertTrue(response.headers().firstValue("Allow").isPresent());
        assertNothingChanged();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/api", "/api/", "/api/commands/", "/index.html", "/bank.css/", "/..%2f..%2fetc/passwd",
        "/io/journal/examples/bank/web/page/index.html" })
    void pathThatIsUnknownIsNotFound(final String path) throws Exception
    {
        assertEquals(404, get(path).statusCode());
    }

    @ParameterizedTest
    @ValueSource(strings = { "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "" })
    void contentTypeOfAFormIsRefused(final String type) throws Exception
    {
        final HttpRequest.Builder request = request(COMMANDS).POST(HttpRequest.BodyPublishers.ofString(
            command("\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":1")));
        if (!type.isEmpty())
        {
            request.header("Content-Type", type);
        }

        assertEquals(415, send(request).statusCode());
        assertNothingChanged();
    }

    @ParameterizedTest
    @ValueSource(strings = { "Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1",
        "Origin: https://127.0.0.1:@", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site" })
    void requestOfAnotherSiteChangesNothing(final String header) throws Exception
    {
        final String[] parts = header.replace("@", Integer.toString(web.port())).split(": ");

        assertEquals(403, post(COMMANDS, command("\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":1"),
            parts[0], parts[1]).statusCode());
        assertNothingChanged();
    }

    @Test
    void requestOfThePageItselfIsTaken() throws Exception
    {
        assertEquals(200, post(COMMANDS, command("\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":1"),
            "Origin", "http://127.0.0.1:" + web.port(), "Sec-Fetch-Site", "same-origin").statusCode());
    }

    @Test
    void nameThatAnotherSiteMayPointHereIsRefused() throws Exception
    {
        assertTrue(raw("GET /api/accounts HTTP/1.1\r\nHost: evil.example\r\n\r\n").startsWith("HTTP/1.1 403"));
        assertTrue(raw("GET /api/accounts HTTP/1.1\r\nHost: localhost:1\r\n\r\n").startsWith("HTTP/1.1 200"));
        assertTrue(raw("GET /api/accounts HTTP/1.1\r\n\r\n").startsWith("HTTP/1.1 403"));
    }

    @Test
    void serverListensOnTheLoopbackInterfaceOnly() throws Exception
    {
        for (final NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces()))
        {
            for (final InetAddress address : Collections.list(network.getInetAddresses()))
            {
                if (!address.isLoopbackAddress())
                {
                    assertThrows(IOException.class, () -> new Socket(address, web.port()).close());
                }
            }
        }
    }

    @Test
    void queryAfterAnEventThatDoesNotExistIsNotKeptWaiting() throws Exception
    {
        assertEquals(404, get("/api/accounts?after=" + (sequenceBefore + 1)).statusCode());
        assertEquals(400, get("/api/accounts?after=x").statusCode());
        assertEquals(400, get("/api/accounts?before=1").statusCode());
    }

    @Test
    void pageMayNotBeFramedNorLoadFromElsewhere() throws Exception
    {
        for (final String path : new String[]{ "/", "/bank.js", "/sender.js", "/load.js", "/charts.js", "/bank.css",
            "/uplot.js", "/uplot.css" })
        {
            final HttpResponse<String> response = get(path);
            assertEquals(200, response.statusCode());
            assertTrue(response.headers().firstValue("Content-Security-Policy").orElseThrow()
                .contains("frame-ancestors 'none'"));
            assertTrue(!response.body().replaceAll("http://www.w3.org/2000/svg", "").contains("//cdn"), path);
        }
    }

    @Test
    void thousandIdleAndSomeSlowClientsDoNotKeepOthersWaiting() throws Exception
    {
        final List<Socket> sockets = new ArrayList<>();
        try
        {
            for (int i = 0; i < 1_000; i++)
            {
                sockets.add(new Socket("127.0.0.1", web.port()));
            }
            for (int i = 0; i < 10; i++)
            {
                // The rest of the request never comes.
                sockets.get(i).getOutputStream().write("POST /api/commands HTTP/1.1\r\nHost: local".getBytes(US_ASCII));
            }
            for (int i = 10; i < 15; i++)
            {
                // The stream is never read.
                sockets.get(i).getOutputStream().write(STREAM.getBytes(US_ASCII));
            }

            for (int i = 0; i < 20; i++)
            {
                final String body = command("\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":1");
                assertEquals(200, post(COMMANDS, body).statusCode());
            }
        }
        finally
        {
            CloseHelper.closeAll(sockets);
        }
    }

    @Test
    void streamShowsWhatHappens() throws Exception
    {
        post(COMMANDS, command("\"type\":\"transfer\",\"account\":1,\"to\":2,\"cents\":7"));
        final long sequence = bank.durableSequence();
        try (Socket socket = new Socket("127.0.0.1", web.port()))
        {
            socket.getOutputStream().write(STREAM.getBytes(US_ASCII));
            final String text =
                readUntil(socket, "\"sequence\":" + sequence + ",\"tag\":4,\"kind\":\"transferred\"");
            assertTrue(text.contains("text/event-stream"), text);
        }
    }

    @Test
    void failureOfTheAccountsIsShown() throws Exception
    {
        final BankJournal journal = journal("failed-accounts", (method) ->
        {
            if ("moveOn".equals(method) && "bank-accounts".equals(Thread.currentThread().getName()))
            {
                throw new IllegalStateException("on purpose");
            }
        });
        try (LogRecords log = new LogRecords(ReadModelRunner.class.getName()))
        {
            try (BankApplication failed = open(journal, "failed-accounts");
                BankWebServer server = BankWebServer.start(failed, 0, null, null);
                Socket socket = new Socket("127.0.0.1", server.port()))
            {
                while (failed.status().models().get(0).failure().isEmpty())
                {
                    Thread.onSpinWait();
                }

                socket.getOutputStream().write(STREAM.getBytes(US_ASCII));
                // The runner may still be about to stop the model.
                readUntil(socket, "\"totals\":null");
                readUntil(socket, "\"failure\":\"java.lang.IllegalStateException: on purpose\"");
            }
            assertEquals(List.of("read model failed: name=accounts"), log.messages());
        }
    }

    @Test
    void streamContinuesAfterAnError() throws Exception
    {
        final AtomicBoolean isFailing = new AtomicBoolean();
        final CountDownLatch hasFailed = new CountDownLatch(1);
        final BankJournal journal = journal("error", (method) ->
        {
            if (isFailing.get() && "bank-stream".equals(Thread.currentThread().getName()))
            {
                isFailing.set(false);
                hasFailed.countDown();
                throw new InternalError("on purpose");
            }
        });
        try (LogRecords log = new LogRecords(LiveStream.class.getName());
            BankApplication failing = open(journal, "error");
            BankWebServer server = BankWebServer.start(failing, 0, null, null);
            Socket socket = new Socket("127.0.0.1", server.port()))
        {
            socket.getOutputStream().write(STREAM.getBytes(US_ASCII));
            readUntil(socket, "\"events\":[]");
            isFailing.set(true);
            hasFailed.await();

            failing.commands().submit(CommandRequest.of(UUID.randomUUID(), new Command.OpenAccount(1, "Ada"))).get();

            readUntil(socket, "\"kind\":\"opened\"");
            assertEquals(List.of("the page was not updated"), log.messages());
        }
    }

    private static BankJournal journal(final String name, final Consumer<String> before) throws IOException
    {
        final BankDirectory directory = new BankDirectory(Files.createDirectory(tempDir.resolve(name)));
        final BankJournal local = new LocalJournal(directory.journalSettings().open());
        return (BankJournal)Proxy.newProxyInstance(
            BankJournal.class.getClassLoader(), new Class<?>[]{ BankJournal.class }, (proxy, method, arguments) ->
            {
                before.accept(method.getName());
                return method.invoke(local, arguments);
            });
    }

    private static BankApplication open(final BankJournal journal, final String name) throws IOException
    {
        return BankApplication.open(
            new BankDirectory(tempDir.resolve(name)), journal, () -> 1234, SnapshotPolicy.MANUAL);
    }

    private static String readUntil(final Socket socket, final String expected) throws IOException
    {
        socket.setSoTimeout(600_000);
        final StringBuilder text = new StringBuilder();
        final byte[] bytes = new byte[4_096];
        while (text.indexOf(expected) < 0)
        {
            final int length = socket.getInputStream().read(bytes);
            assertTrue(length > 0, text::toString);
            text.append(new String(bytes, 0, length, US_ASCII));
        }
        return text.toString();
    }

    private void assertNothingChanged()
    {
        assertEquals(sequenceBefore, bank.durableSequence());
    }

    private static String command(final String fields)
    {
        return "{\"id\":\"" + UUID.randomUUID() + "\"," + fields + "}";
    }

    private static HttpResponse<String> get(final String path) throws Exception
    {
        return send(request(path).GET());
    }

    private static HttpResponse<String> post(final String path, final String body, final String... headers)
        throws Exception
    {
        final HttpRequest.Builder request = request(path).header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0)
        {
            request.headers(headers);
        }
        return send(request);
    }

    private static HttpRequest.Builder request(final String path)
    {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + web.port() + path));
    }

    private static HttpResponse<String> send(final HttpRequest.Builder request) throws Exception
    {
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The beginning of the answer to bytes that a client library would not send. */
    private static String raw(final String request) throws IOException
    {
        try (Socket socket = new Socket("127.0.0.1", web.port()))
        {
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), US_ASCII);
        }
    }
}
