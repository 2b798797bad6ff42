// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReadmeTest
{
    private static final Path SOURCES = Readme.PROJECT.resolve("examples/src/main/java/io/journal/examples");
    private static final Pattern PROFILE = Pattern.compile(" -P(\\S+)");
    private static final Pattern MODULES = Pattern.compile(" -pl (\\S+)");
    private static final Pattern EXAMPLE = Pattern.compile(" -Dexample=(\\w+)");

    @TempDir
    private Path temp;

    @Test
    void firstJavaOfTheReadmeIsTheQuickStartThatCompiles() throws IOException
    {
        final List<String> source = Files.readAllLines(SOURCES.resolve("QuickStart.java"));
        final String expected = text(Readme.between(source, "// snippet:start", "// snippet:end")).stripIndent();

        final String shown = text(Readme.between(Readme.lines(), "```java", "```"));

        assertFalse(expected.isBlank());
        assertEquals(expected, shown, "copy the lines between the markers of QuickStart.java into README.md");
    }

    @Test
    void firstConsoleShowsWhatTheQuickStartPrints()
    {
        final List<String> console = Readme.console();

        assertEquals("$ " + Readme.commands().get(0), console.get(0));
        assertEquals(
            console.subList(1, console.size()), printed("target/quick-start", QuickStart::main));
    }

    @Test
    void secondRunShowsWhatTheFirstOneLeft()
    {
        printed("target/quick-start", QuickStart::main);
        assertEquals(
            List.of("1: 3 apples", "2: 3 apples", "The journal is in target/quick-start"),
            printed("target/quick-start", QuickStart::main));

        printed("target/redo-log", RedoLog::main);
        final String second = String.join("\n", printed("target/redo-log", RedoLog::main));
        assertTrue(String.join("\n", Readme.lines("examples/README.md")).contains('`' + second + '`'), second);
    }

    @Test
    void commandsNameProfilesModulesAndExamplesThatThereAre() throws IOException
    {
        final List<String> commands = Readme.commands();
        final String parent = Files.readString(Readme.PROJECT.resolve("pom.xml"));
        final String poms = parent + Files.readString(Readme.PROJECT.resolve("examples/pom.xml"));

        assertTrue(commands.size() > 15, commands::toString);
        named(commands, PROFILE).forEach((profile) -> assertTrue(poms.contains("<id>" + profile + "</id>"), profile));
        named(commands, MODULES).forEach(
            (module) -> assertTrue(parent.contains("<module>" + module + "</module>"), module));
        named(commands, EXAMPLE).forEach(
            (example) -> assertTrue(Files.exists(SOURCES.resolve(example + ".java")), example));
    }

    private static Stream<String> named(final List<String> commands, final Pattern option)
    {
        return commands.stream().flatMap((command) -> option.matcher(command).results())
            .map((MatchResult match) -> match.group(1)).flatMap((names) -> Stream.of(names.split(",")));
    }

    /**
     * Runs an example in a temporary directory; returns its output, with the default directory in place of the
     * temporary one.
     */
    private List<String> printed(final String directory, final Example example)
    {
        final Path used = temp.resolve(directory);
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final PrintStream before = System.out;
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try
        {
            Files.createDirectories(used.getParent());
            example.main(new String[]{ used.toString() });
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }
        finally
        {
            System.setOut(before);
        }
        return new ArrayList<>(
            bytes.toString(StandardCharsets.UTF_8).replace(used.toString(), directory).lines().toList());
    }

    private static String text(final List<String> lines)
    {
        return String.join("\n", lines);
    }

    /** The main method of an example. */
    private interface Example
    {
        void main(String[] args) throws IOException;
    }
}
