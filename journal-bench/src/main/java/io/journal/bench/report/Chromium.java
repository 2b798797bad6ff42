package io.journal.bench.report;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.journal.bench.run.TempDirectory;

/**
 * Renders the charts of a page to files in an installed headless browser, so that the page remains the only code that
 * draws charts.
 */
public final class Chromium
{
    private static final List<String> NAMES =
        List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final int SECONDS = 120;
    private static final Pattern IMAGE = Pattern.compile("<pre data-image=\"([\\w.-]+)\">(.*?)</pre>", Pattern.DOTALL);

    private final Path program;

    public Chromium() throws IOException
    {
        program = find().orElseThrow(() -> new IOException(
            "images need Chromium or Chrome on the PATH; the page does not"));
    }

    static Optional<Path> find()
    {
        final String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of(path.split(File.pathSeparator))
            .flatMap((directory) -> NAMES.stream().map((name) -> Path.of(directory).resolve(name)))
            .filter(Files::isExecutable).findFirst();
    }

    /**
     * Writes the images that a page draws: the text of its elements {@code <pre data-image="name">}.
     *
     * @return number of them.
     */
    public int writeImages(final Path page, final Path directory) throws IOException, InterruptedException
    {
        final Matcher images = IMAGE.matcher(dump(page.toUri() + "?images"));
        int count = 0;
        while (images.find())
        {
            final String svg = images.group(2).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            Files.writeString(directory.resolve(images.group(1) + ".svg"), svg + "\n");
            count++;
        }
        if (0 == count)
        {
            throw new IOException("the browser drew no chart of the page: " + program);
        }
        return count;
    }

    /**
     * The DOM of a page after its scripts have run.
     */
    String dump(final String uri) throws IOException, InterruptedException
    {
        try (TempDirectory temp = TempDirectory.below(Path.of(System.getProperty("java.io.tmpdir")), "chromium-"))
        {
            final Path out = temp.path().resolve("page.html");
            final Process browser = new ProcessBuilder(
                program.toString(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--allow-file-access-from-files", "--user-data-dir=" + temp.path().resolve("profile"),
                "--virtual-time-budget=20000", "--dump-dom", uri)
                .redirectOutput(out.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            try
            {
                if (!browser.waitFor(SECONDS, TimeUnit.SECONDS) || 0 != browser.exitValue())
                {
                    throw new IOException("the browser failed: " + program);
                }
                return Files.readString(out, StandardCharsets.UTF_8);
            }
            finally
            {
                browser.descendants().forEach(ProcessHandle::destroyForcibly);
                browser.destroyForcibly().waitFor();
            }
        }
    }
}
