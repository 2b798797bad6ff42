// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.BankFiles;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.journal.LocalJournal;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Sends valid requests, as the page does, and invalid requests of many kinds, which must change nothing. */
@Tag("slow")
@Timeout(900)
class WebTest
{
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String COMMANDS = "/api/commands";
    private static final String TRANSFER = "{'type':'transfer','accountId':1,'toAccountId':2,'cents':1}";

    @TempDir
    private static Path tempDir;

    private static BankApplication bank;
    private static BankWebServer web;

    private long sequenceBefore;

    @BeforeAll
    static void open() throws Exception
    {
        final BankFiles files = new BankFiles(tempDir);
        bank = new BankApplication(
            files, new LocalJournal(LocalJournal.settings(files.journal()).open()), () -> 1234, 0);
        for (final Command command : List.of(
            new Command.OpenAccount(1, "Ada"), new Command.OpenAccount(2, "Grace"), new Command.Deposit(1, 1_000)))
        {
            bank.commands().submit(CommandRequest.of(UUID.randomUUID(), command)).get();
        }
        web = new BankWebServer(bank, 0, null);
    }

    @AfterAll
    static void close()
    {
        web.close();
        bank.close();
    }

    @BeforeEach
    void noteSequence()
    {
        sequenceBefore = bank.journal().forcedSequence();
    }

    @AfterEach
    void nothingIsLost() throws Exception
    {
        final JsonNode accounts = json(get("/api/accounts?after=" + bank.journal().forcedSequence()));
        assertEquals(1_000, accounts.path("totals").path("cents").longValue());
    }

    static Stream<String> wrong()
    {
        final String id = "{'id':'" + UUID.randomUUID() + "','command':";
        return Stream.of(
            "400 ", "400 {", "400 []", "400 7", "400 null", "400 {}", "400 {'command':" + TRANSFER + "}",
            "400 {'id':'1-1-1-1-1','command':" + TRANSFER + "}", "400 {'id':7,'command':" + TRANSFER + "}",
            "400 " + id + "null}", "400 " + id + "{'type':'rob','accountId':1,'cents':1}}",
            "400 " + id + "{'accountId':1,'cents':1}}", "400 " + id + "{'type':'deposit','accountId':1}}",
            "400 " + id + "{'type':'deposit','accountId':1,'cents':0}}",
            "400 " + id + "{'type':'deposit','accountId':1,'cents':-5}}",
            "400 " + id + "{'type':'deposit','accountId':1,'cents':1.5}}",
            "400 " + id + "{'type':'deposit','accountId':1,'cents':'1'}}",
            "400 " + id + "{'type':'deposit','accountId':1,'cents':null}}",
            "400 " + id + "{'type':'deposit','accountId':1,'cents':92233720368547758080}}",
            "400 " + id + "{'type':'deposit','accountId':1,'cents':1,'cents':2}}",
            "400 " + id + "{'type':'deposit','accountId':1,'cents':1,'more':2}}",
            "400 " + id + TRANSFER + "} {}", "400 " + id + TRANSFER + ",'expectedVersion':'1'}",
            "400 " + id + "{'type':'transfer','accountId':1,'toAccountId':1,'cents':1}}",
            "400 " + id + "{'type':'open','accountId':0,'owner':'Ada'}}",
            "400 " + id + "{'type':'open','accountId':9}}",
            "400 " + id + "{'type':'open','accountId':9,'owner':'" + "a".repeat(61) + "'}}",
            "404 " + id + "{'type':'deposit','accountId':9,'cents':1}}",
            "404 " + id + "{'type':'transfer','accountId':1,'toAccountId':9,'cents':1}}",
            "409 " + id + "{'type':'withdraw','accountId':1,'cents':1001}}",
            "409 " + id + "{'type':'deposit','accountId':1,'cents':9000000000000000}}",
            "409 " + id + "{'type':'open','accountId':1,'owner':'Eve'}}",
            "409 " + id + "{'type':'withdraw','accountId':1,'cents':1},'expectedVersion':1}",
            "413 " + id + "{'owner':'" + "a".repeat(1 << 20) + "'}}");
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void commandThatIsWrongIsAnsweredWithWhyAndChangesNothing(final String expected) throws Exception
    {
        final HttpResponse<String> response = post(COMMANDS, expected.substring(4));

        assertEquals(Integer.parseInt(expected.substring(0, 3)), response.statusCode(), response::body);
        assertTrue(!json(response).path("message").asText().isEmpty(), response::body);
        assertNothingChanged();
    }

    @Test
    void bodyWithoutALengthIsBoundedAsWell() throws Exception
    {
        final InputStream endless = new ByteArrayInputStream(new byte[2 << 20]);
        final HttpResponse<String> response = send(request(COMMANDS).header("Content-Type", "application/json")
            .POST(BodyPublishers.ofInputStream(() -> endless)));

        assertTrue(response.statusCode() >= 400 && response.statusCode() < 500, response::toString);
        assertNothingChanged();
    }

    @Test
    void transferMovesMoneyAndIsAnsweredWhenDurableAndOnce() throws Exception
    {
        final String command = command(TRANSFER);

        final JsonNode answer = json(post(COMMANDS, command));
        final JsonNode again = json(post(COMMANDS, command));

        assertEquals("executed", answer.path("result").asText());
        assertEquals(sequenceBefore + 1, answer.path("sequence").longValue());
        assertEquals("repeated", again.path("result").asText());
        assertEquals(sequenceBefore + 1, again.path("sequence").longValue());
        assertEquals(sequenceBefore + 1, bank.journal().forcedSequence());
    }

    @Test
    void batchExecutesWhatItCanAndReportsWhatItCannot() throws Exception
    {
        final JsonNode answers = json(post(
            "/api/batch", "[" + command(TRANSFER) + "," +
                command("{'type':'withdraw','accountId':2,'cents':99999}") + "," + command(TRANSFER) + "]"));

        assertEquals("executed", answers.path(0).path("result").asText());
        assertEquals("rejected", answers.path(1).path("result").asText());
        assertEquals("OVERDRAFT", answers.path(1).path("reason").asText());
        assertTrue(answers.path(1).path("message").asText().contains("which is less than €999.99"));
        assertEquals("executed", answers.path(2).path("result").asText());
    }

    @ParameterizedTest
    @ValueSource(strings = { "[]", "[null]", "[@,{}]", "[@,[]]", "{}" })
    void batchWithAMalformedCommandChangesNothing(final String batch) throws Exception
    {
        assertEquals(400, post("/api/batch", batch.replace("@", command(TRANSFER))).statusCode());
        assertNothingChanged();
    }

    @Test
    void auditFindsEachCommandOnce() throws Exception
    {
        final String command = command(TRANSFER);
        post(COMMANDS, command);
        final String id = JSON.readTree(command.replace('\'', '"')).path("id").asText();

        final JsonNode audit = json(post("/api/audit", "['" + id + "','" + UUID.randomUUID() + "']"));

        assertEquals("{\"missing\":1,\"once\":1,\"repeated\":0}", audit.toString());
        final JsonNode ledger = json(get("/api/ledger"));
        assertEquals(bank.journal().forcedSequence(), ledger.path("events").longValue());
        assertEquals(1_000, ledger.path("cents").longValue());
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "{}", "['x']", "[7]", "[null]" })
    void auditOfWhatIsNoListOfIdsIsRefused(final String ids) throws Exception
    {
        assertEquals(400, post("/api/audit", ids).statusCode());
    }

    @Test
    void snapshotRebuildAndPruneAnswer() throws Exception
    {
        assertEquals(sequenceBefore, json(post("/api/snapshot", "{}")).path("sequence").longValue());
        assertEquals(sequenceBefore, json(post("/api/rebuild", "{}")).path("events").longValue());
        assertEquals(1, json(post("/api/prune", "{}")).path("first").longValue());
        // Both are refused: there is no supervisor to restart the bank, and no cluster.
        assertEquals(409, post("/api/kill", "{}").statusCode());
        assertEquals(409, post("/api/kill-leader", "{}").statusCode());
        assertNothingChanged();
    }

    @ParameterizedTest
    @ValueSource(strings = { "GET /api/commands", "PUT /api/commands", "POST /api/status", "GET /api/kill" })
    void methodThatIsWrongIsNotAllowed(final String line) throws Exception
    {
        final String[] parts = line.split(" ");
        final HttpResponse<String> response = send(
            request(parts[1]).header("Content-Type", "application/json").method(parts[0], BodyPublishers.noBody()));

        assertEquals(405, response.statusCode());
        assertNothingChanged();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/api", "/api/", "/..%2f..%2fetc/passwd", "/io/journal/examples/bank/web/page/bank.js" })
    void pathThatIsUnknownShowsNothing(final String path) throws Exception
    {
        final int status = get(path).statusCode();
        assertTrue(404 == status || 400 == status, () -> path + ": " + status);
    }

    @ParameterizedTest
    @ValueSource(strings = { "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "" })
    void contentTypeOfAFormIsRefused(final String type) throws Exception
    {
        final HttpRequest.Builder request = request(COMMANDS).POST(BodyPublishers.ofString(command(TRANSFER)));
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

        assertEquals(403, post(COMMANDS, command(TRANSFER), parts[0], parts[1]).statusCode());
        assertNothingChanged();
    }

    @Test
    void requestOfThePageItselfIsTaken() throws Exception
    {
        assertEquals(200, post(COMMANDS, command(TRANSFER),
            "Origin", "http://127.0.0.1:" + web.port(), "Sec-Fetch-Site", "same-origin").statusCode());
    }

    @Test
    void nameThatAnotherSiteMayPointHereIsRefused() throws Exception
    {
        for (final String path : new String[]{ "/", "/api/accounts", "/api/stream", "/bank.js" })
        {
            assertTrue(raw("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\n\r\n").startsWith("HTTP/1.1 403"), path);
        }
        assertTrue(raw("GET /api/accounts HTTP/1.1\r\nHost: localhost:1\r\n\r\n").startsWith("HTTP/1.1 200"));
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
    }

    @Test
    void pageFindsAllItNamesHereAndMayNotBeFramed() throws Exception
    {
        final String page = get("/").body();
        final List<String> paths = new ArrayList<>(List.of(
            "/", "/dom.js", "/actions.js", "/charts.js", "/load.js", "/proof.js", "/sender.js"));
        paths.addAll(Pattern.compile("(?:src|href)=\"(/[^\"]*)\"").matcher(page).results()
            .map((MatchResult link) -> link.group(1)).toList());
        assertTrue(paths.size() > 10, paths::toString);
        for (final String path : paths)
        {
            final HttpResponse<String> response = get(path);
            assertEquals(200, response.statusCode(), path);
            assertTrue(response.headers().firstValue("Content-Security-Policy").orElseThrow()
                .contains("frame-ancestors 'none'"), path);
        }
    }

    @Test
    void idleAndSlowClientsDoNotKeepOthersWaiting() throws Exception
    {
        final List<Socket> sockets = new ArrayList<>();
        try
        {
            for (int i = 0; i < 500; i++)
            {
                final Socket socket = new Socket("127.0.0.1", web.port());
                sockets.add(socket);
                if (0 == i % 5)
                {
                    socket.getOutputStream().write(("POST /api/commands HTTP/1.1\r\nHost: localhost\r\n" +
                        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{").getBytes(US_ASCII));
                }
                else if (1 == i % 25)
                {
                    // Open the stream, and read nothing from it.
                    socket.getOutputStream().write(
                        "GET /api/stream HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
                            .getBytes(US_ASCII));
                }
            }

            assertEquals(200, post(COMMANDS, command(TRANSFER)).statusCode());
        }
        finally
        {
            for (final Socket socket : sockets)
            {
                socket.close();
            }
        }
    }

    @Test
    void streamShowsWhatHappens() throws Exception
    {
        final HttpResponse<Stream<String>> stream = CLIENT.send(
            request("/api/stream").header("Accept", "text/event-stream").build(), BodyHandlers.ofLines());
        final String id = JSON.readTree(command(TRANSFER).replace('\'', '"')).path("id").asText();
        post(COMMANDS, "{'id':'" + id + "','command':" + TRANSFER + "}");

        try (Stream<String> lines = stream.body())
        {
            assertTrue(lines.anyMatch((line) -> line.contains(id) && line.contains("\"TRANSFERRED\"")));
        }
    }

    private void assertNothingChanged()
    {
        assertEquals(sequenceBefore, bank.journal().forcedSequence());
    }

    private static String command(final String command)
    {
        return "{'id':'" + UUID.randomUUID() + "','command':" + command + "}";
    }

    private static JsonNode json(final HttpResponse<String> response) throws IOException
    {
        return JSON.readTree(response.body());
    }

    private static HttpResponse<String> get(final String path) throws Exception
    {
        return send(request(path).GET());
    }

    private static HttpResponse<String> post(final String path, final String body, final String... headers)
        throws Exception
    {
        final HttpRequest.Builder request = request(path).header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.replace('\'', '"')));
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
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    /** Sends bytes that a client library would refuse to send; returns the beginning of the answer. */
    private static String raw(final String request) throws IOException
    {
        try (Socket socket = new Socket("127.0.0.1", web.port()))
        {
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), US_ASCII);
        }
    }
}
