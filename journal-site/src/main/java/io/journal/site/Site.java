// SPDX-License-Identifier: Apache-2.0
package io.journal.site;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the site: a page for each document of the repository, what they link to, and the Javadoc of the published
 * modules. The folder needs neither a server nor a network. A link or an anchor that leads nowhere is an error.
 */
@SuppressWarnings("checkstyle:console")
public final class Site
{
    /** Published modules: their name in Java, and their directory. Axon needs Java 21. */
    private static final Map<String, String> MODULES = new TreeMap<>(Map.of(
        "io.journal", "journal-core", "io.journal.pekko", "journal-pekko",
        "io.journal.replicated", "journal-replicated",
        "io.journal.streams", "journal-streams", "io.journal.testkit", "journal-testkit", "io.journal.verify",
        "journal-verify"));

    static
    {
        if (Runtime.version().feature() >= 21)
        {
            MODULES.put("io.journal.axon", "journal-axon");
        }
    }

    private static final List<String> ROOTS = List.of(
        "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "examples/README.md");

    private static final Pattern LINK = Pattern.compile("(?:href|src)=\"([^\"#]*)(?:#([^\"]*))?\"");
    private static final Pattern ID = Pattern.compile(" id=\"([^\"]*)\"");
    private static final Pattern NAVIGATION = Pattern.compile("(?m)^- \\*\\*(.*)\\*\\*: ((?:.|\n  )*)");
    private static final Pattern NAVIGATION_LINK = Pattern.compile("\\[([^\\]]*)]\\(([^)]*)\\)");

    private final Path root;
    private final Path target;
    private final Map<Path, Page> pages = new TreeMap<>();
    private final Set<Path> copied = new TreeSet<>();

    private Site(final Path root, final Path target)
    {
        this.root = root;
        this.target = target;
    }

    /**
     * Writes the site anew.
     *
     * @param args the root of the repository, and the directory to write to.
     * @throws IOException if a file cannot be read or written.
     */
    public static void main(final String[] args) throws IOException
    {
        final Path target = Path.of(args[1]).toAbsolutePath().normalize();
        new Site(Path.of(args[0]).toAbsolutePath().normalize(), target).write();
        System.out.println("The site is in " + target.resolve("index.html"));
    }

    private void write() throws IOException
    {
        delete(target);
        Files.createDirectories(target);
        javadoc();
        for (final Path document : documents())
        {
            final Page page = new Page(root.relativize(document), Files.readString(document));
            pages.put(page.document(), page);
        }
        final String template = resource("page.html").replace("<!-- navigation -->", navigation());
        for (final Page page : pages.values())
        {
            final Path file = target.resolve(page.file());
            Files.createDirectories(file.getParent());
            final String html = template.replace("<!-- title -->", page.title())
                .replace("<!-- content -->", page.html(this::linked));
            Files.writeString(file, html.replace("{root}", toRoot(page.file())));
        }
        Files.writeString(target.resolve("site.css"), resource("site.css"));
        Files.writeString(target.resolve("search.js"), resource("search.js"));
        Files.writeString(target.resolve("index.js"), "const INDEX = [\n" +
            pages.values().stream().filter((page) -> !page.isResult())
                .sorted(Comparator.comparingInt(this::rank)).flatMap(Page::index)
                .collect(Collectors.joining(",\n")) +
            "];\n");
        checkLinks();
    }

    /** Place in the index of the README; pages that it does not name come last. */
    private int rank(final Page page)
    {
        final String readme = pages.get(Path.of("README.md")).markdown();
        final int place = readme.indexOf("(" + slashes(page.document()) + ")", readme.indexOf("## Documentation"));
        return place < 0 ? Integer.MAX_VALUE : place;
    }

    private List<Path> documents() throws IOException
    {
        final List<Path> documents = new ArrayList<>();
        for (final String each : ROOTS)
        {
            try (Stream<Path> files = Files.walk(root.resolve(each)))
            {
                files.filter((file) -> file.toString().endsWith(".md")).forEach(documents::add);
            }
        }
        return documents;
    }

    /** What a link of a document leads to on the site; files of other kinds are copied. */
    private String linked(final Page page, final String link)
    {
        final int hash = link.indexOf('#');
        final String path = hash < 0 ? link : link.substring(0, hash);
        if (path.isEmpty() || path.matches("\\w+:.*"))
        {
            return link;
        }
        final Path document = page.document().resolveSibling(path).normalize();
        final Path file = pages.containsKey(document) ? pages.get(document).file() : copied(document);
        return relative(page.file(), file) + (hash < 0 ? "" : link.substring(hash));
    }

    /** Pictures and pages as they are, other files as text in a page, a directory as the list of its files. */
    private Path copied(final Path file)
    {
        final Path source = root.resolve(file);
        final String name = file.toString();
        try
        {
            if (Files.isDirectory(source))
            {
                final Path list = file.resolve("list.html");
                if (copied.add(list))
                {
                    writePlain(list, name, list(file, source));
                }
                return list;
            }
            final boolean isShown = name.matches(".*\\.(html|svg|png)");
            final Path copy = isShown ? file : Path.of(name + ".html");
            if (copied.add(copy))
            {
                Files.createDirectories(target.resolve(copy).getParent());
                if (isShown)
                {
                    Files.copy(source, target.resolve(copy), StandardCopyOption.REPLACE_EXISTING);
                }
                else
                {
                    writePlain(copy, name, "<pre>" + Page.escape(Files.readString(source)) + "</pre>");
                }
            }
            return copy;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private String list(final Path directory, final Path source) throws IOException
    {
        try (Stream<Path> files = Files.list(source))
        {
            return files.map((file) -> directory.resolve(file.getFileName())).sorted()
                .filter((file) -> !file.toString().endsWith(".jsonl"))
                .map((file) -> String.format(
                    "<li><a href=\"%s\">%s</a></li>%n",
                    relative(
                        directory.resolve("list.html"),
                        pages.containsKey(file) ? pages.get(file).file() : copied(file)),
                    pages.containsKey(file) ? pages.get(file).title() : file.getFileName()))
                .collect(Collectors.joining("", "<ul>\n", "</ul>\n"));
        }
    }

    private void writePlain(final Path file, final String title, final String content) throws IOException
    {
        Files.createDirectories(target.resolve(file).getParent());
        Files.writeString(target.resolve(file), resource("page.html").replace("<!-- title -->", title)
            .replace("<!-- navigation -->", navigation())
            .replace("<!-- content -->", "<h1>" + title + "</h1>\n" + content).replace("{root}", toRoot(file)));
    }

    /** The index of the README, as a list at the side of each page. */
    private String navigation()
    {
        final String readme = pages.get(Path.of("README.md")).markdown();
        return NAVIGATION.matcher(readme.substring(readme.indexOf("## Documentation"))).results()
            .map((group) -> "<h2>" + group.group(1) + "</h2>\n" + NAVIGATION_LINK.matcher(group.group(2)).results()
                .map(this::navigationLink).collect(Collectors.joining("", "<ul>\n", "</ul>\n")))
            .collect(Collectors.joining());
    }

    private String navigationLink(final MatchResult link)
    {
        final Path document = Path.of(link.group(2));
        final Path file = pages.containsKey(document) ? pages.get(document).file() :
            Files.isDirectory(root.resolve(document)) ? document.resolve("list.html") : document;
        return "<li><a href=\"{root}" + slashes(file) + "\">" + link.group(1).replace("\n  ", " ") + "</a></li>\n";
    }

    /** All published modules together, so that one search finds the classes of each. */
    private void javadoc()
    {
        final List<String> options = new ArrayList<>(List.of(
            "-quiet", "-Xdoclint:none", "-notimestamp", "-d", target.resolve("api").toString(), "-encoding", "UTF-8",
            "-doctitle", "Journal", "-windowtitle", "Journal", "-header",
            "<a href=\"{@docRoot}/../index.html\">Guide</a>",
            "--module", String.join(",", MODULES.keySet()), "--module-path", libraries()));
        MODULES.forEach((name, directory) -> options.addAll(List.of(
            "--module-source-path", name + "=" + root.resolve(directory).resolve("src/main/java"))));
        final StringWriter output = new StringWriter();
        final PrintWriter printer = new PrintWriter(output);
        final int result = ToolProvider.findFirst("javadoc").orElseThrow()
            .run(printer, printer, options.toArray(String[]::new));
        if (0 != result)
        {
            throw new IllegalStateException("javadoc failed: " + output);
        }
    }

    /** What this program was started with, but for the modules of the project: those are given as sources. */
    private String libraries()
    {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((path) -> !Path.of(path).toAbsolutePath().startsWith(root))
            .collect(Collectors.joining(File.pathSeparator));
    }

    private void checkLinks() throws IOException
    {
        final List<String> broken = new ArrayList<>();
        final Set<Path> written = new TreeSet<>(copied);
        pages.values().forEach((page) -> written.add(page.file()));
        for (final Path file : written)
        {
            if (file.toString().endsWith(".html") && !file.endsWith("report.html"))
            {
                for (final MatchResult link : LINK.matcher(read(file)).results().toList())
                {
                    if (!leadsSomewhere(file, link.group(1), link.group(2)))
                    {
                        broken.add(file + ": " + link.group());
                    }
                }
            }
        }
        if (!broken.isEmpty())
        {
            throw new IllegalStateException("links lead nowhere: " + broken);
        }
    }

    private boolean leadsSomewhere(final Path from, final String path, final String anchor) throws IOException
    {
        if (path.matches("\\w+:.*"))
        {
            return true;
        }
        final Path to = path.isEmpty() ? from : from.resolveSibling(path).normalize();
        return Files.isRegularFile(target.resolve(to)) &&
            (null == anchor || ID.matcher(read(to)).results().anyMatch((id) -> anchor.equals(id.group(1))));
    }

    private String read(final Path file) throws IOException
    {
        return Files.readString(target.resolve(file));
    }

    private static String relative(final Path from, final Path to)
    {
        return toRoot(from) + slashes(to);
    }

    private static String toRoot(final Path file)
    {
        return "../".repeat(file.getNameCount() - 1);
    }

    private static String slashes(final Path path)
    {
        return path.toString().replace(File.separatorChar, '/');
    }

    private static String resource(final String name) throws IOException
    {
        try (InputStream stream = Site.class.getResourceAsStream(name))
        {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void delete(final Path directory) throws IOException
    {
        if (Files.exists(directory))
        {
            Files.walkFileTree(directory, new SimpleFileVisitor<>()
            {
                @Override
                public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes)
                    throws IOException
                {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(final Path visited, final IOException failure)
                    throws IOException
                {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        }
    }
}
