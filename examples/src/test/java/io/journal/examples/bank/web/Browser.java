package io.journal.examples.bank.web;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A Chromium without a window, driven by its DevTools protocol.
 */
public final class Browser implements AutoCloseable
{
    private static final List<String> NAMES =
        List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(10);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final AtomicInteger lastId = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> calls = new ConcurrentHashMap<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final Process process;
    private final WebSocket socket;

    private Browser(final Process process, final URI page) throws Exception
    {
        this.process = process;
        socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(page, new Messages()).get();
        for (final String domain : new String[]{ "Page", "Runtime", "Log" })
        {
            call(domain + ".enable", Map.of());
        }
    }

    /** The program, if one is installed. */
    public static Optional<Path> find()
    {
        final String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(File.pathSeparator))
            .flatMap((directory) -> NAMES.stream().map((name) -> Path.of(directory).resolve(name)))
            .filter(Files::isExecutable).findFirst();
    }

    /** Starts a browser with a new profile. */
    public static Browser start(final Path program, final Path profile) throws Exception
    {
        final Process process = new ProcessBuilder(
            program.toString(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", "--remote-debugging-port=0", "--user-data-dir=" + profile, "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try
        {
            return new Browser(process, awaitPage(profile));
        }
        catch (final Throwable ex)
        {
            end(process);
            throw ex;
        }
    }

    /** What the page and its scripts complained about. */
    public List<String> errors()
    {
        return errors;
    }

    public void open(final String address) throws Exception
    {
        call("Page.navigate", Map.of("url", address));
        await("document.readyState === 'complete'");
    }

    /** A window of a size, in a scheme of colours. */
    public void show(final int width, final int height, final String scheme) throws Exception
    {
        call(
            "Emulation.setDeviceMetricsOverride",
            Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        call("Emulation.setScrollbarsHidden", Map.of("hidden", true));
        call(
            "Emulation.setEmulatedMedia",
            Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    public void press(final String key, final int code) throws Exception
    {
        for (final String type : new String[]{ "keyDown", "keyUp" })
        {
            call(
                "Input.dispatchKeyEvent",
                Map.of(
                    "type", type, "key", key, "code", key, "windowsVirtualKeyCode", code, "text",
                    "Enter".equals(key) ? "\r" : ""));
        }
    }

    /** Value of an expression; a promise is awaited. */
    public JsonNode evaluate(final String expression) throws Exception
    {
        final JsonNode result = call(
            "Runtime.evaluate",
            Map.of("expression", expression, "awaitPromise", true, "returnByValue", true, "userGesture", true));
        if (result.has("exceptionDetails"))
        {
            throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
        }
        return result.get("result").path("value");
    }

    /** Waits until an expression is true. */
    public void await(final String expression) throws Exception
    {
        final long startNs = System.nanoTime();
        while (!evaluate("Boolean(" + expression + ")").booleanValue())
        {
            if (System.nanoTime() - startNs > PATIENCE_NS)
            {
                throw new AssertionError("waited in vain for: " + expression + "; errors: " + errors);
            }
            Thread.sleep(20);
        }
    }

    /** Writes what the page looks like, from top to bottom or as much as the window shows. */
    public void screenshot(final Path file, final boolean isWhole) throws Exception
    {
        final JsonNode result = call(
            "Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", isWhole));
        Files.write(file, Base64.getDecoder().decode(result.get("data").textValue()));
    }

    @Override
    public void close()
    {
        socket.abort();
        end(process);
    }

    private JsonNode call(final String method, final Map<String, Object> parameters) throws Exception
    {
        final int id = lastId.incrementAndGet();
        final CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        calls.put(id, answer);
        socket.sendText(JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)), true).get();
        final JsonNode message = answer.get(10, TimeUnit.MINUTES);
        if (message.has("error"))
        {
            throw new IOException(method + ": " + message.get("error"));
        }
        return message.get("result");
    }

    private static URI awaitPage(final Path profile) throws Exception
    {
        final Path file = profile.resolve("DevToolsActivePort");
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < PATIENCE_NS)
        {
            if (Files.exists(file) && Files.readAllLines(file).size() > 1)
            {
                final String list = HttpClient.newHttpClient().send(
                    HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + Files.readAllLines(file).get(0) + "/json/list")).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
                for (final JsonNode target : JSON.readTree(list))
                {
                    if ("page".equals(target.path("type").textValue()))
                    {
                        return URI.create(target.get("webSocketDebuggerUrl").textValue());
                    }
                }
            }
            Thread.sleep(20);
        }
        throw new IOException("the browser does not start");
    }

    private static void end(final Process process)
    {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try
        {
            process.waitFor();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Answers and events. */
    private final class Messages implements WebSocket.Listener
    {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(final WebSocket webSocket, final CharSequence data, final boolean isLast)
        {
            text.append(data);
            if (isLast)
            {
                try
                {
                    onMessage(JSON.readTree(text.toString()));
                }
                catch (final IOException ex)
                {
                    errors.add("not JSON: " + text);
                }
                text.setLength(0);
            }
            webSocket.request(1);
            return null;
        }

        private void onMessage(final JsonNode message)
        {
            if (message.has("id"))
            {
                calls.remove(message.get("id").intValue()).complete(message);
                return;
            }

            final JsonNode parameters = message.path("params");
            final boolean isError = switch (message.path("method").asText())
            {
                case "Runtime.exceptionThrown" -> true;
                case "Runtime.consoleAPICalled" -> "error".equals(parameters.path("type").asText());
                case "Log.entryAdded" -> "error".equals(parameters.path("entry").path("level").asText());
                default -> false;
            };
            if (isError)
            {
                errors.add(parameters.toString());
            }
        }
    }
}
