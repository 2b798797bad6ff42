// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.web;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The installed Chromium or Chrome, without a window. */
final class Browser implements AutoCloseable
{
    // Hold a reference, because the log manager has only a weak one. Without the level set below, Selenium warns that
    // it does not know the version of the browser.
    private static final Logger LOGGER = Logger.getLogger("org.openqa.selenium");
    private static final String[] PROGRAMS = { "chromium", "chromium-browser", "google-chrome", "chrome" };

    private final ChromeDriver driver;

    private Browser(final Path program, final Path driverProgram)
    {
        LOGGER.setLevel(Level.SEVERE);
        final LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.SEVERE);
        final ChromeOptions options = new ChromeOptions();
        options.setBinary(program.toFile());
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        options.addArguments(
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking");
        driver = new ChromeDriver(
            new ChromeDriverService.Builder().usingDriverExecutable(driverProgram.toFile()).build(), options);
    }

    /** Starts the browser; empty if the browser or its driver is not installed. */
    static Optional<Browser> start()
    {
        final Optional<Path> program = find(PROGRAMS);
        final Optional<Path> driver = find("chromedriver");
        return program.isPresent() && driver.isPresent() ?
            Optional.of(new Browser(program.get(), driver.get())) : Optional.empty();
    }

    private static Optional<Path> find(final String... names)
    {
        final List<String> directories =
            List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
        return Arrays.stream(names)
            .flatMap((name) -> directories.stream().flatMap((each) -> Stream.of(
                Path.of(each, name), Path.of(each, name + ".exe"))))
            .filter(Files::isExecutable).findFirst();
    }

    void open(final String address)
    {
        driver.get(address);
    }

    Object evaluate(final String expression)
    {
        return driver.executeScript("return " + expression);
    }

    void await(final String condition) throws InterruptedException
    {
        while (!Boolean.TRUE.equals(evaluate(condition)))
        {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Sends keys to the focused element. */
    void press(final CharSequence... keys)
    {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    void show(final int width, final String scheme)
    {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride", Map.of(
            "width", width, "height", 900, "deviceScaleFactor", 1, "mobile", false));
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of(
            "features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Returns the accessibility faults that axe finds. */
    Object faults() throws IOException
    {
        try (InputStream script = Browser.class.getResourceAsStream("/axe.min.js"))
        {
            driver.executeScript(new String(script.readAllBytes(), UTF_8));
        }
        return driver.executeAsyncScript(
            "const done = arguments[0]; axe.run().then((found) => done(found.violations" +
                ".filter((fault) => ['serious', 'critical', 'moderate'].includes(fault.impact))" +
                ".map((fault) => fault.id + ': ' + fault.nodes.map((node) => node.html))))");
    }

    /** Returns the messages of the console since the last call. */
    List<String> errors()
    {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream().map(Object::toString).toList();
    }

    @Override
    public void close()
    {
        driver.quit();
    }
}
