// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code docs/getting-started.md} shows the program as it is compiled, and the output of each step. */
class GettingStartedTest
{
    private static final Pattern REGION = Pattern.compile("// step:start\n(.*?)\n *// step:end", Pattern.DOTALL);
    private static final Pattern CODE = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);
    private static final Pattern CONSOLE = Pattern.compile("```console\n\\$ (mvn [^\n]*)\n(.*?)```", Pattern.DOTALL);
    private static final String COMMAND =
        "mvn -q -pl examples -am -Pexample compile -Dexample=GettingStarted -Dexample.args=";

    @TempDir
    private Path temp;

    @Test
    void codeOfThePageIsThatOfTheProgram() throws IOException
    {
        final String source = Files.readString(
            Readme.PROJECT.resolve("examples/src/main/java/io/journal/examples/GettingStarted.java"));

        final List<String> steps = found(REGION, source).map(String::stripIndent).sorted().toList();

        assertEquals(7, steps.size());
        assertEquals(steps, found(CODE, page()).sorted().toList(), "copy the steps into docs/getting-started.md");
    }

    @Tag("slow")
    @Test
    void eachStepPrintsWhatThePageShows() throws IOException, InterruptedException
    {
        final Matcher consoles = CONSOLE.matcher(page());
        int count = 0;
        while (consoles.find())
        {
            assertTrue(consoles.group(1).startsWith(COMMAND), consoles.group(1));
            final String step = consoles.group(1).substring(COMMAND.length());

            assertEquals(consoles.group(2), run(step), step);
            count++;
        }
        assertEquals(7, count);
    }

    /** Runs a step in a process of its own, because the crash step ends its process. */
    private String run(final String step) throws IOException, InterruptedException
    {
        final Path output = temp.resolve("output");
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), GettingStarted.class.getName(), step,
            temp.resolve("journal").toString()).redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        if (!process.waitFor(10, TimeUnit.MINUTES))
        {
            process.destroyForcibly().waitFor();
        }
        assertEquals(0, process.exitValue(), step);
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    private static Stream<String> found(final Pattern pattern, final String text)
    {
        return pattern.matcher(text).results().map((MatchResult match) -> match.group(1));
    }

    private static String page() throws IOException
    {
        return Files.readString(Readme.PROJECT.resolve("docs/getting-started.md"));
    }
}
