// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests that documents name as evidence exist, and so do the modules that the BOM names. */
class EvidenceTest
{
    private static final Path ROOT = Path.of(System.getProperty("basedir", "."), "..");

    /** A class of tests, one of its methods, or a further method of the class that was named before. */
    private static final Pattern NAMED =
        Pattern.compile("`(?=\\w+Test[.`]|\\.[a-z]\\w+`)(\\w+Test)?(?:\\.(\\w+))?`");

    @Test
    void testsNamedInDocumentsExist() throws IOException
    {
        final Map<String, String> sources = sourcesOfTests();
        final List<String> missing = new ArrayList<>();
        int count = 0;
        for (final String document : List.of("SECURITY.md", "CONTRIBUTING.md", "README.md", "docs/testing.md"))
        {
            final Matcher named = NAMED.matcher(Files.readString(ROOT.resolve(document)));
            String type = null;
            while (named.find())
            {
                type = null == named.group(1) ? type : named.group(1);
                if (!exists(sources.get(type), named.group(2)))
                {
                    missing.add(document + ": " + named.group());
                }
                count++;
            }
        }

        assertEquals(List.of(), missing);
        assertTrue(count > 200, "named: " + count);
    }

    @Test
    void bomNamesThePublishedModulesInTheVersionOfTheBuild() throws IOException
    {
        final String bom = Files.readString(ROOT.resolve("journal-bom/pom.xml"));
        final Pattern version = Pattern.compile("<artifactId>journal-(?:bom|parent)</artifactId>\\s*<version>(.*)<");

        assertEquals(find(version, Files.readString(ROOT.resolve("pom.xml"))), find(version, bom));
        try (Stream<Path> modules = Files.list(ROOT))
        {
            final List<String> published = modules.map((module) -> module.resolve("pom.xml")).filter(Files::exists)
                .map(EvidenceTest::read).filter((pom) -> pom.contains("<artifactId>maven-javadoc-plugin</artifactId>"))
                .flatMap((pom) -> find(Pattern.compile("</parent>\\s*<artifactId>(.*)<"), pom).stream())
                .sorted().toList();
            assertEquals(published, find(Pattern.compile("<dependency>[^/]*/groupId>\\s*<artifactId>(.*)<"), bom));
            assertTrue(published.contains("journal-core"), published::toString);
        }
    }

    private static List<String> find(final Pattern pattern, final String text)
    {
        return pattern.matcher(text).results().map((found) -> found.group(1)).toList();
    }

    private static boolean exists(final String source, final String method)
    {
        return null != source && (null == method || source.contains("void " + method + "("));
    }

    /** Sources by class name; sources of the same name in several modules are joined. */
    private static Map<String, String> sourcesOfTests() throws IOException
    {
        try (Stream<Path> modules = Files.list(ROOT))
        {
            return modules.map((module) -> module.resolve("src/test/java")).filter(Files::isDirectory)
                .flatMap(EvidenceTest::walk).filter((file) -> file.toString().endsWith("Test.java"))
                .collect(Collectors.toMap(
                    (file) -> file.getFileName().toString().replace(".java", ""), EvidenceTest::read, String::concat));
        }
    }

    private static Stream<Path> walk(final Path directory)
    {
        try
        {
            return Files.walk(directory);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static String read(final Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
