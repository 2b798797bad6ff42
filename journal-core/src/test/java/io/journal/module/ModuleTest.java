// SPDX-License-Identifier: Apache-2.0
package io.journal.module;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
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

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import io.journal.Journal;
import io.journal.store.Backend;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What users of the module descriptor see, and that they need no flag and get no warning by it. */
@Tag("slow")
class ModuleTest
{
    private static final Path USER = Path.of(
        System.getProperty("basedir", ""), "src", "test", "java", "io", "journal", "module", "ModuleUser.java");

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

    @Test
    void userCompilesWithoutJSpecifyOnTheModulePathAndWithoutAWarning() throws IOException
    {
        compile("--module-path", source("module-info.java", "module io.journal.module { requires io.journal; }"));
    }

    @Test
    void userCompilesWithoutJSpecifyOnTheClassPathAndWithoutAWarning() throws IOException
    {
        compile("-cp", source("package-info.java", "package io.journal.module;"));
    }

    @Test
    void everyExportedPackageSaysThatNullIsMarked()
    {
        assertTrue(Journal.class.getPackage().isAnnotationPresent(NullMarked.class));
        assertTrue(Backend.class.getPackage().isAnnotationPresent(NullMarked.class));
    }

    /** The annotations are in the class files, and javac has to pass over them. */
    private void compile(final String pathOption, final Path source) throws IOException
    {
        final Path annotated = source("Annotated.java", """
            package io.journal.module;
            final class Annotated extends io.journal.JournalException
            {
                private static final long serialVersionUID = 1;
                Annotated(final io.journal.JournalLockedException ex)
                {
                    super(ex.owner(), null, ex.file(), 0, 0);
                }
            }
            """);
        final StringWriter printed = new StringWriter();
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final List<String> options = List.of(
            "-Xlint:all", "-Werror", "-proc:none", "-d", temp.resolve("classes").toString(), pathOption,
            location(Journal.class) + File.pathSeparator + location(DirectBuffer.class));

        final boolean isCompiled = compiler.getTask(
            printed, null, null, options, null,
            compiler.getStandardFileManager(null, null, null).getJavaFileObjects(USER, annotated, source)).call();

        assertTrue(isCompiled, printed.toString());
        assertEquals("", printed.toString());
    }

    private Path source(final String name, final String text) throws IOException
    {
        return Files.writeString(temp.resolve(name), text);
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
