package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.journal.bench.run.Child;

/**
 * JVM flags of the article's measurements; some no longer exist.
 */
final class Flags
{
    /**
     * The article's flags, one by one. The threshold has no effect with tiered compilation, which is newer than the
     * article, so one entry turns that off.
     */
    static final List<String> OF_THE_ARTICLE = List.of(
        "-server", "-XX:CompileThreshold=2", "-XX:-TieredCompilation -XX:CompileThreshold=2", "-XX:+AggressiveOpts",
        "-XX:+UseFastAccessorMethods", "-Xmx1000m");

    private Flags()
    {
    }

    /**
     * Splits flags into arguments.
     */
    static List<String> split(final String flags)
    {
        return Arrays.stream(flags.trim().split("\\s+")).filter((flag) -> !flag.isEmpty()).toList();
    }

    /**
     * Checks whether a JVM like this one accepts flags.
     *
     * @return null if it does, otherwise its error message.
     */
    static String refusal(final String flags) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(Flags.class).subList(0, 1));
        command.addAll(split(flags));
        command.add("-version");
        final Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return 0 == java.waitFor() ? null : output.lines().findFirst().orElse("no reason given");
    }
}
