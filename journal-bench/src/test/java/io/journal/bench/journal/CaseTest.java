package io.journal.bench.journal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CaseTest
{
    @TempDir
    private Path directory;

    static List<Case> cases()
    {
        return Case.all(256);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void snippetCompiles(final Case each) throws Exception
    {
        final Path source = directory.resolve("Snippet.java");
        Files.writeString(source,
            "import java.nio.file.Path;\n" +
                "import io.journal.Journal;\n" +
                "import io.journal.store.Backend;\n" +
                "class Snippet\n{\n    Journal open()\n    {\n" +
                each.snippet() +
                "        return journal;\n    }\n}\n");
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertNotNull(compiler, "tests need a JDK");

        final int exitCode = compiler.run(
            null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", directory.toString(),
            source.toString());

        assertEquals(0, exitCode, each.snippet());
    }

    @Test
    void theDefaultComesFirstAndEveryBackendIsThere()
    {
        assertEquals(new Case(Backend.MAPPED, 0), cases().get(0));
        for (final Backend backend : Backend.values())
        {
            assertTrue(cases().contains(new Case(backend, 0)), backend.name());
        }
        assertEquals(cases().size(), new HashSet<>(cases()).size());
    }

    @Test
    void aMappedJournalHasNoWindow()
    {
        assertEquals(1, cases().stream().filter((each) -> Backend.MAPPED == each.backend()).count());
        assertTrue(cases().contains(new Case(Backend.FILE_CHANNEL, 64 * 1024)));
    }

    @Test
    void windowsThatHoldNoTwoRecordsAreLeftOut()
    {
        final int recordLength = 40 * 1024;

        for (final Case each : Case.all(recordLength))
        {
            assertTrue(0 == each.writeWindow() || each.writeWindow() >= 2 * recordLength, each.label());
        }
        assertEquals(Backend.values().length, Case.all(1024 * 1024).size());
    }

    @Test
    void labelNamesTheWindow()
    {
        assertEquals("FILE_CHANNEL", new Case(Backend.FILE_CHANNEL, 0).label());
        assertEquals("FILE_CHANNEL 64 KiB", new Case(Backend.FILE_CHANNEL, 64 * 1024).label());
        assertEquals("FILE_CHANNEL 1 MiB", new Case(Backend.FILE_CHANNEL, 1024 * 1024).label());
    }
}
