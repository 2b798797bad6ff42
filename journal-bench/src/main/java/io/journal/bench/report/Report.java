// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.journal.bench.run.RunOptions;
import io.journal.bench.run.TempDirectory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Writes tables and a page of results, as a command and after measuring commands with {@code --report}. Images of the
 * charts of documents are rendered in an installed headless browser, so that the page remains the only code that draws.
 */
@Command(
    name = "report",
    description = "Writes the tables of each result file (NAME.md), and report.html, a self-contained page: the " +
        "recommendation, figures and charts with published values, and what the articles say beside what was " +
        "measured.",
    footer = {
        "%nExample: report docs/results --page=docs/report.html --images=docs/images",
        "Takes: seconds." },
    sortOptions = false)
public final class Report implements Callable<Integer>
{
    private static final List<String> BROWSERS =
        List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final int BROWSER_SECONDS = 300;
    private static final Pattern IMAGE = Pattern.compile("<pre data-image=\"([\\w.-]+)\">(.*?)</pre>", Pattern.DOTALL);

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "DIRECTORY", description = "Directory of the result files (*.jsonl), in " +
        "which tables and page are written.")
    private Path directory;

    @Option(names = "--page", paramLabel = "FILE", description = "The page. Default: report.html in the directory.")
    private Path page;

    @Option(names = "--images", paramLabel = "DIRECTORY",
        description = "Also write the charts that the documents show, " +
            "as SVG, rendered by an installed Chromium or Chrome.")
    private Path images;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        RunOptions.require(spec, Files.isDirectory(directory), "no such directory: " + directory);
        final Path written = null == page ? directory.resolve("report.html") : page;
        write(spec.commandLine(), directory, written);
        spec.commandLine().getOut().println(written);
        if (null != images)
        {
            spec.commandLine().getOut().println(
                writeImages(written.toUri() + "?images", images) + " images in " + images);
        }
        return CommandLine.ExitCode.OK;
    }

    /** @throws ParameterException if there are no results, or one of them is damaged; nothing was written. */
    private static void write(final CommandLine command, final Path directory, final Path page) throws IOException
    {
        try
        {
            final List<ResultFile> runs = ResultFile.readAll(directory);
            if (runs.isEmpty())
            {
                throw new IllegalArgumentException(
                    directory + ": no result files here: their names end with " + ResultFile.SUFFIX);
            }
            for (final ResultFile run : runs)
            {
                Files.writeString(directory.resolve(run.name() + ".md"), new Tables(run).markdown());
            }
            Files.writeString(page, Page.of(runs));
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ParameterException(command, ex.getMessage(), ex);
        }
    }

    /** Writes tables and page of a directory after a measurement, whose results are kept in any case. */
    public static int writeAfter(final CommandLine command, final Path directory)
    {
        try
        {
            write(command, directory, directory.resolve("report.html"));
            command.getErr().println("report: " + directory.resolve("report.html"));
            return CommandLine.ExitCode.OK;
        }
        catch (final IOException | ParameterException ex)
        {
            command.getErr().println("failed: no report: " + (ex instanceof IOException ? ex : ex.getMessage()));
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    /**
     * Writes the images that a page draws: the text of its elements {@code <pre data-image="name">}.
     *
     * @param page its URI.
     * @return number of them.
     */
    private static int writeImages(final String page, final Path directory) throws IOException, InterruptedException
    {
        final List<MatchResult> images = IMAGE.matcher(dump(page)).results().toList();
        if (images.isEmpty())
        {
            throw new IOException("the browser drew no chart of the page: " + page);
        }
        Files.createDirectories(directory);
        for (final MatchResult image : images)
        {
            final String svg = image.group(2).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            Files.writeString(directory.resolve(image.group(1) + ".svg"), svg + "\n");
        }
        return images.size();
    }

    /** The DOM of a page after its scripts have run. */
    static String dump(final String uri) throws IOException, InterruptedException
    {
        final Path program = browser().orElseThrow(() -> new IOException(
            "images need Chromium or Chrome on the PATH; the page does not"));
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
                if (!browser.waitFor(BROWSER_SECONDS, TimeUnit.SECONDS) || 0 != browser.exitValue())
                {
                    throw new IOException("the browser failed: " + program);
                }
                return Files.readString(out);
            }
            finally
            {
                browser.descendants().forEach(ProcessHandle::destroyForcibly);
                browser.destroyForcibly().waitFor();
            }
        }
    }

    static Optional<Path> browser()
    {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .flatMap((directory) -> BROWSERS.stream().map((name) -> Path.of(directory).resolve(name)))
            .filter(Files::isExecutable).findFirst();
    }
}
