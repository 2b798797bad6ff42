// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.bench.subject.BackendConfig;
import io.journal.bench.run.Interval;
import io.journal.bench.recommend.Measurements.Figure;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RecommendationTest
{
    private static final int MIB = 1024 * 1024;

    @TempDir
    private Path directory;

    private static List<Recommendation> recommendations()
    {
        return BackendConfig.all(256).stream()
            .flatMap((each) -> List.of(
                recommendation(each, 64 * MIB, Requirement.Durability.PROCESS, 1),
                recommendation(each, 16 * MIB, Requirement.Durability.POWER, 1),
                recommendation(each, MIB, Requirement.Durability.POWER, 2000)).stream())
            .toList();
    }

    @Tag("slow")
    @Test
    void theSnippetsCompile() throws Exception
    {
        final StringBuilder text = new StringBuilder();
        text.append("import java.nio.file.Path;\nimport java.time.Duration;\nimport io.journal.ForcePolicy;\n")
            .append("import io.journal.Journal;\nimport io.journal.store.Backend;\nclass Snippet\n{\n");
        int count = 0;
        for (final Recommendation each : recommendations())
        {
            text.append("    Journal open").append(count++).append("()\n    {\n").append(each.snippet())
                .append("        return journal;\n    }\n");
        }
        final Path source = Files.writeString(directory.resolve("Snippet.java"), text.append("}\n"));
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        assertNotNull(compiler, "tests need a JDK");

        final int exitCode = compiler.run(
            null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", directory.toString(),
            source.toString());

        assertEquals(0, exitCode, text.toString());
    }

    @Test
    void settingsFileAppliesTheRecommendation() throws Exception
    {
        for (final Recommendation each : recommendations())
        {
            final Path file = Files.writeString(
                directory.resolve("journal.properties"), each.file(List.of("by a test", "two\nlines=of one \u00FC")));

            final JournalBuilder builder = Journal.builder(directory.resolve("journal")).settings(file);

            final String text = builder.toString();
            assertTrue(text.contains("backend=" + each.verdict().recommended().backend() + ","), text);
            assertTrue(text.contains("writeWindow=" + each.verdict().recommended().writeWindow() + ","), text);
            assertTrue(text.contains("segmentLength=" + each.segmentLength() + " if new,"), text);
            assertTrue(text.contains("force=" + each.force().setting().replace(" ms", "000 us") + ","), text);
            assertTrue(Files.readString(file).startsWith("# by a test\n# two?lines=of one \u00FC\n# "), text);
        }
    }

    @Test
    void theValuesNameTheTies()
    {
        final Map<String, String> values = recommendations().get(2).values();

        assertEquals("MAPPED", values.get("backend"));
        assertEquals("FILE_CHANNEL", values.get("ties"));
        assertEquals("1048576", values.get("segmentLength"));
    }

    private static Recommendation recommendation(
        final BackendConfig chosen, final int segmentLength, final Requirement.Durability durability, final long rate)
    {
        final BackendConfig other = BackendConfig.all(256).get(chosen.equals(BackendConfig.all(256).get(1)) ? 0 : 1);
        final Map<Figure, Double> figures = SimulatedTrials.figures(1000);
        final Measurements measurements = new Measurements();
        for (int round = 0; round < Interval.MIN_COUNT; round++)
        {
            measurements.add(Map.of(chosen, figures, other, figures));
        }
        final Requirement requirement = new Requirement(durability, 256, rate);
        final Verdict verdict = Verdict.of(List.of(chosen, other), List.of(), measurements, measurements, requirement);
        return new Recommendation(
            requirement, verdict, segmentLength, Recommendation.Force.of(requirement, measurements, chosen),
            verdict.reasons());
    }
}
