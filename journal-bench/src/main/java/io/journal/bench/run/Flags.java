package io.journal.bench.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * JVM flags whose effect is measured.
 */
public final class Flags
{
    private Flags()
    {
    }

    public static List<String> split(final String flags)
    {
        return Arrays.stream(flags.trim().split("\\s+")).filter((flag) -> !flag.isEmpty()).toList();
    }

    /**
     * Checks whether a JVM like this one accepts flags.
     *
     * @return null if it does, otherwise its error message.
     */
    public static String refusal(final String flags) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(Child.javaCommand(Flags.class).get(0)));
        command.addAll(split(flags));
        command.add("-version");
        // Without flags of the environment, which a JVM would announce in its first line.
        final Process java = Child.builder(command).redirectErrorStream(true).start();
        final String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return 0 == java.waitFor() ? null : output.lines().findFirst().orElse("no reason given");
    }
}
