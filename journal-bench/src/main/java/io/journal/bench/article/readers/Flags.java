package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.journal.bench.run.Child;

/**
 * Flags of a JVM that the article was measured with; some of them are gone since.
 */
final class Flags
{
    /**
     * Those of the article one by one. The threshold has no effect unless tiered compilation, which came after the
     * article, is off: so there is one more with both.
     */
    static final List<String> OF_THE_ARTICLE = List.of(
        "-server", "-XX:CompileThreshold=2", "-XX:-TieredCompilation -XX:CompileThreshold=2", "-XX:+AggressiveOpts",
        "-XX:+UseFastAccessorMethods", "-Xmx1000m");

    private Flags()
    {
    }

    /**
     * Flags as arguments.
     */
    static List<String> split(final String flags)
    {
        return Arrays.stream(flags.trim().split("\\s+")).filter((flag) -> !flag.isEmpty()).toList();
    }

    /**
     * Tries whether a JVM like this one starts with flags.
     *
     * @return null if it does, otherwise what it says.
     */
    static String refusal(final String flags) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(Flags.class).subList(0, 1));
        command.addAll(split(flags));
        command.add("-version");
        final Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return 0 == java.waitFor() ? null : said.lines().findFirst().orElse("no reason given");
    }
}
