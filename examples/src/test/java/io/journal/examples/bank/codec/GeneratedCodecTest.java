package io.journal.examples.bank.codec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * The codecs among the sources are those that SBE generates from the schema. After a change of the schema:
 *
 * <pre>
 * mvn test -pl examples -am -Dtest=GeneratedCodecTest -Dsurefire.failIfNoSpecifiedTests=false -Dbank.generate=true
 * </pre>
 */
class GeneratedCodecTest
{
    private static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    private static final Path SOURCES = MODULE.resolve("src/main/java");
    private static final Path PACKAGE = Path.of("io/journal/examples/bank/codec/sbe");
    private static final Path SCHEMA =
        MODULE.resolve("src/main/resources/io/journal/examples/bank/codec/bank-events.xml");

    @TempDir
    Path tempDir;

    @Test
    void codecsAmongTheSourcesAreThoseOfTheSchema() throws Exception
    {
        generate(tempDir);
        if (Boolean.getBoolean("bank.generate"))
        {
            generate(SOURCES);
        }

        final List<Path> names = names(tempDir.resolve(PACKAGE));
        assertFalse(names.isEmpty());
        assertEquals(names, names(SOURCES.resolve(PACKAGE)));
        for (final Path name : names)
        {
            assertEquals(
                Files.readString(tempDir.resolve(PACKAGE).resolve(name)),
                Files.readString(SOURCES.resolve(PACKAGE).resolve(name)), name::toString);
        }
    }

    private static void generate(final Path directory) throws Exception
    {
        System.setProperty("sbe.output.dir", directory.toString());
        // By name: the tool is needed to run this test, not to compile it.
        Class.forName("uk.co.real_logic.sbe.SbeTool").getMethod("main", String[].class)
            .invoke(null, (Object)new String[]{ SCHEMA.toString() });
    }

    private static List<Path> names(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.map(Path::getFileName).sorted().toList();
        }
    }
}
