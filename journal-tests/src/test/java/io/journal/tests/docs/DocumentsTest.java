// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.docs;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.Retention;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The documents are correct: links have targets, options and limits equal those of the builder, and figures those of a
 * result.
 */
class DocumentsTest
{
    private static final Path ROOT = Path.of(System.getProperty("basedir", "."), "..").toAbsolutePath().normalize();
    private static final int WORDS_OF_README = 900;
    // Of which 1,520 are the page of the event store.
    private static final int WORDS_IN_ALL = 23_680;

    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```");
    private static final Pattern SIZE = Pattern.compile("(\\d+)( KiB| MiB| GiB)?");
    private static final Pattern NUMBER = Pattern.compile("\\d[\\d,.]*");
    private static final Pattern RESULT = Pattern.compile("\\((docs/results/[\\w-]+\\.md)\\)");

    @TempDir
    private Path temp;

    @Test
    void readmeIsShort()
    {
        final int words = read(ROOT.resolve("README.md")).strip().split("\\s+").length;

        assertTrue(words <= WORDS_OF_README, "words: " + words);
    }

    /** Generated results are not counted. A word has a letter or a digit, so the lines of a table do not count. */
    @Test
    void documentsAreShort()
    {
        final long words = documents().stream().flatMap((document) -> Stream.of(read(document).split("\\s+")))
            .filter((word) -> word.chars().anyMatch(Character::isLetterOrDigit)).count();

        assertTrue(words <= WORDS_IN_ALL, "words: " + words);
    }

    @Test
    void linksLeadToFilesAndHeadingsThatExist()
    {
        final List<String> broken = new ArrayList<>();
        int count = 0;
        for (final Path document : documents())
        {
            for (final String link : found(LINK, CODE.matcher(read(document)).replaceAll("")))
            {
                if (!link.startsWith("http"))
                {
                    count++;
                    final String[] parts = link.split("#", 2);
                    final Path target = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]).normalize();
                    if (!Files.exists(target) || parts.length > 1 && !hasAnchor(target, parts[1]))
                    {
                        broken.add(ROOT.relativize(document) + ": " + link);
                    }
                }
            }
        }

        assertEquals(List.of(), broken);
        assertTrue(count > 150, "links: " + count);
    }

    @Test
    void figuresOfTheReadmeAreThoseOfTheirResult()
    {
        final List<String> rows = read(ROOT.resolve("README.md")).lines()
            .filter((line) -> line.startsWith("|") && RESULT.matcher(line).find()).toList();

        assertEquals(6, rows.size());
        for (final String row : rows)
        {
            final String result = read(ROOT.resolve(found(RESULT, row).get(0)));
            final String[] cells = row.split("\\|");
            for (final String cell : List.of(cells[2].strip(), cells[3].strip()))
            {
                final String number = NUMBER.matcher(cell).results().findFirst().orElseThrow().group()
                    .replaceAll("[,.]$", "");
                final String unit = cell.startsWith(number + " M") ? " M" : "";
                assertTrue(result.contains(" " + number + unit + " ["), number + " in " + row);
            }
        }
    }

    @Test
    void configurationListsEveryOptionOfTheBuilder()
    {
        final Set<String> options = Arrays.stream(JournalBuilder.class.getDeclaredMethods())
            .filter((each) -> Modifier.isPublic(each.getModifiers()) && JournalBuilder.class == each.getReturnType())
            .map((each) -> each.getName()).collect(Collectors.toCollection(TreeSet::new));

        assertEquals(options, options().keySet());
    }

    @Test
    void defaultsOfTheConfigurationAreThoseOfTheBuilder()
    {
        final String actual = builder().toString();
        final Map<String, String> documented = options().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, (option) -> option.getValue()[2].strip().split(";")[0]));

        for (final String option : List.of("backend", "verification", "recycleSegments", "backgroundThread"))
        {
            assertShown(actual, option, documented.get(option).replace("`", ""));
        }
        for (final String option : List.of("segmentLength", "writeWindow", "maxRecordLength"))
        {
            assertShown(actual, option, Long.toString(sizes(documented.get(option)).get(0)));
        }
        assertEquals("`manual()`", documented.get("force"));
        assertShown(actual, "force", "manual");
        assertEquals("`none()`", documented.get("retention"));
        assertShown(actual, "retention", Retention.none().toString());
        assertShown(builder().backend(Backend.DIRECT).toString(), "writeWindow",
            Long.toString(sizes(options().get("writeWindow")[2].split(";")[1]).get(0)));
    }

    @Test
    void rangesOfTheConfigurationAreThoseOfTheBuilder()
    {
        assertRange("segmentLength", (length) -> builder().segmentLength(length));
        assertRange("writeWindow", (length) -> builder().writeWindow(length));
        assertRange("maxRecordLength", (length) -> builder().maxRecordLength(length));
        for (final Backend backend : Backend.values())
        {
            assertTrue(options().get("backend")[3].contains("`" + backend + "`"), backend::toString);
        }
    }

    @Test
    void settingsFileOfTheConfigurationIsAccepted() throws IOException
    {
        final String page = read(ROOT.resolve("docs/configuration.md"));
        final Path file = temp.resolve("journal.properties");
        Files.writeString(file, found(Pattern.compile("(?s)```properties\n(.*?)```"), page).get(0));

        final String settings = builder().settings(file).toString();

        assertShown(settings, "backend", "FILE_CHANNEL");
        assertShown(settings, "force", "every 5000 us");
    }

    @Test
    void classesThatNameSeveralBackendsAreInTheRecipe()
    {
        final String recipe = read(ROOT.resolve("CONTRIBUTING.md"));
        final List<String> missing = new ArrayList<>();
        for (final Path file : sources())
        {
            final String source = read(file);
            final String name = file.getFileName().toString().replace(".java", "");
            final long named = Arrays.stream(Backend.values())
                .filter((backend) -> source.contains("Backend." + backend)).count();
            if (named > 1 && !recipe.contains("`" + name + "`"))
            {
                missing.add(name);
            }
        }

        assertEquals(List.of(), missing);
    }

    @Test
    void exitCodesOfTheOperationsAreThoseOfTheTools()
    {
        final String source =
            read(ROOT.resolve("journal-tools/src/main/java/io/journal/tools/ExitCode.java"));
        final List<String> codes = new ArrayList<>(found(Pattern.compile("int \\w+ = (\\d+);"), source));
        codes.add("130"); // Ctrl-C ends the JVM.

        assertEquals(codes, found(Pattern.compile("(?m)^\\| (\\d+) \\|"), read(ROOT.resolve("docs/operations.md"))));
    }

    @Test
    void attributesOfGitNameDirectoriesThatExist()
    {
        final List<String> directories =
            found(Pattern.compile("(?m)^\\*\\*/(\\S+)/\\*\\* binary"), read(ROOT.resolve(".gitattributes")));

        assertEquals(2, directories.size());
        directories.forEach((directory) -> assertTrue(
            Files.isDirectory(ROOT.resolve("journal-tests").resolve(directory)), directory));
    }

    private void assertRange(final String option, final IntConsumer setter)
    {
        final List<Long> range = sizes(options().get(option)[3]);
        final int least = Math.toIntExact(range.get(0));
        final int most = Math.toIntExact(range.get(1));
        setter.accept(least);
        setter.accept(most);
        assertThrows(IllegalArgumentException.class, () -> setter.accept(least - 1), option);
        assertThrows(IllegalArgumentException.class, () -> setter.accept(most + 1), option);
    }

    private static void assertShown(final String settings, final String option, final String value)
    {
        assertTrue(settings.matches("(?s).*\\b" + option + "=" + Pattern.quote(value) + "[ ,}].*"),
            option + "=" + value + " in " + settings);
    }

    private JournalBuilder builder()
    {
        return Journal.builder(temp.resolve("journal"));
    }

    /** The cells of each row of the first table, by the name of the option. */
    private static Map<String, String[]> options()
    {
        final Map<String, String[]> options = new TreeMap<>();
        read(ROOT.resolve("docs/configuration.md")).lines().filter((line) -> line.startsWith("| `"))
            .forEach((line) -> options.put(line.substring(3, line.indexOf('`', 3)), line.split("\\|")));
        return options;
    }

    private static List<Long> sizes(final String text)
    {
        final Map<String, Integer> shifts = new HashMap<>(Map.of(" KiB", 10, " MiB", 20, " GiB", 30));
        return SIZE.matcher(text).results()
            .map((size) -> Long.parseLong(size.group(1)) << shifts.getOrDefault(size.group(2), 0)).toList();
    }

    /**
     * Whether a document has a heading with such an anchor, made as GitHub makes it, or an HTML element with that id.
     */
    private static boolean hasAnchor(final Path document, final String anchor)
    {
        final String text = read(document);
        return text.contains("id=\"" + anchor + '"') || found(HEADING, CODE.matcher(text).replaceAll("")).stream()
            .map((heading) -> heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
            .anyMatch(anchor::equals);
    }

    private static List<Path> documents()
    {
        return Stream.of(".", "docs", "docs/adr", "examples", "journal-bench")
            .flatMap((directory) -> Arrays.stream(ROOT.resolve(directory).toFile().listFiles()))
            .filter((file) -> file.getName().endsWith(".md")).map((file) -> file.toPath().normalize()).toList();
    }

    /** The sources of all modules, without tests. */
    private static List<Path> sources()
    {
        final List<Path> sources = new ArrayList<>();
        for (final File module : ROOT.toFile().listFiles())
        {
            final Path directory = module.toPath().resolve("src/main/java");
            if (Files.isDirectory(directory))
            {
                try (Stream<Path> files = Files.walk(directory))
                {
                    files.filter((file) -> file.toString().endsWith(".java")).forEach(sources::add);
                }
                catch (final IOException ex)
                {
                    throw new UncheckedIOException(ex);
                }
            }
        }
        return sources;
    }

    private static List<String> found(final Pattern pattern, final String text)
    {
        return pattern.matcher(text).results().map((MatchResult match) -> match.group(1)).toList();
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
