package io.journal.module;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.journal.Journal;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * What users of the module descriptor see, and that they need no flag and get no warning by it.
 */
class ModuleTest
{
    @TempDir
    private Path temp;

    @Test
    void exportsThePackagesOfUsersAlone()
    {
        final ModuleDescriptor descriptor =
            ModuleFinder.of(location(Journal.class)).find("io.journal").orElseThrow().descriptor();

        final Set<String> exported = descriptor.exports().stream()
            .filter((each) -> !each.isQualified()).map(ModuleDescriptor.Exports::source).collect(Collectors.toSet());
        assertEquals(Set.of("io.journal", "io.journal.store"), exported);
        assertEquals(Set.of(), descriptor.opens());
    }

    @Test
    void runsOnTheModulePathWithoutAFlagOrAWarning() throws IOException, InterruptedException
    {
        final String modules = location(Journal.class) + File.pathSeparator + location(DirectBuffer.class);

        assertEquals("io.journal", run(
            "--module-path", modules, "--add-modules", "io.journal", "-cp", location(ModuleUser.class).toString()));
    }

    @Test
    void runsOnTheClassPathWithoutAFlagOrAWarning() throws IOException, InterruptedException
    {
        assertEquals("null", run("-cp", System.getProperty("java.class.path")));
    }

    // What the JVM prints, with its warnings.
    private String run(final String... paths) throws IOException, InterruptedException
    {
        final Path output = temp.resolve("output");
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(paths));
        command.addAll(List.of(ModuleUser.class.getName(), temp.toString()));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(output.toFile());
        // The JVM prints that it read these.
        builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));

        final int exitCode = builder.start().waitFor();

        final String printed = Files.readString(output, StandardCharsets.UTF_8).strip();
        assertEquals(0, exitCode, printed);
        return printed;
    }

    private static Path location(final Class<?> type)
    {
        try
        {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        }
        catch (final URISyntaxException ex)
        {
            throw new AssertionError(ex);
        }
    }
}
