// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ArchitectureTest
{
    /** The rooms of the engine, each above those it may use. */
    private static final List<String> FLOORS =
        List.of("platform", "lock", "format", "buffer", "files", "control", "segment", "observe", "recover", "write",
            "read", "follow", "manage");

    /** What the engine implements as a whole, and how it is opened: the contracts that no room knows. */
    private static final Set<String> UNKNOWN_TO_ROOMS =
        Set.of("Journal", "ReadOnlyJournal", "ReadableJournal", "JournalBuilder");

    /** Exported by {@code jdk.unsupported}; no flag is needed. */
    private static final String DIRECT_IO_OPTION = "com.sun.nio.file.ExtendedOpenOption";

    /** Locks with a level, by the classes that own them; see {@code OrderedLock.Level}. */
    private static final Set<String> LOCKS =
        Set.of("AppendPath", "Control", "Engine", "Forcer", "SegmentSupply", "SnapshotLifecycle", "TailWindow");

    /** Classes with a monitor: files, whose monitors are leaves, what followers share, and the durability listener. */
    private static final Set<String> MONITORS =
        Set.of("AgentThreads", "ChannelFile", "DirectFiles", "DurabilityListener", "FollowedSource", "PlainFile",
            "ReopenedChannel");

    private static final Pattern AGRONA_CLASS = Pattern.compile("org/agrona/[\\w/$]+");
    private static final Pattern JOURNAL_CLASS = Pattern.compile("io/journal/(?!store/|internal/platform/)\\w+");
    private static final Pattern ROOM = Pattern.compile("io/journal/internal/(\\w+)/");
    private static final Pattern ENGINE_CLASS = Pattern.compile("io/journal/internal/[A-Z]\\w+");
    private static final Pattern USERS_CLASS = Pattern.compile("io/journal/[A-Z]\\w+");
    private static final Pattern JOURNAL_NAME =
        Pattern.compile("io\\.journal\\.(?!store\\b|internal\\.platform\\b)\\w+");

    @Test
    void storeDoesNotKnowTheJournal() throws IOException
    {
        final Map<String, String> sources = sources("io/journal/store");
        assertTrue(sources.containsKey("DirectoryStore.java"), () -> sources.keySet().toString());
        sources.forEach((name, source) -> assertEquals(List.of(), matches(JOURNAL_NAME, source), name));

        classes().forEach(
            (name, constants) ->
            {
                if (name.startsWith("io/journal/store/"))
                {
                    assertEquals(List.of(), matches(JOURNAL_CLASS, constants), name);
                }
            });
    }

    @Test
    void platformDoesNotKnowTheStore() throws IOException
    {
        classes().forEach((name, constants) ->
        {
            if (name.startsWith("io/journal/internal/platform/"))
            {
                assertFalse(constants.contains("io/journal/store/"), name);
            }
        });
    }

    @Test
    void storeExportsTheSeamAlone() throws IOException, ClassNotFoundException
    {
        final Set<String> exported = new TreeSet<>();
        for (final String name : classes().keySet())
        {
            if (name.startsWith("io/journal/store/") && !name.contains("$") && !name.endsWith("/package-info"))
            {
                final Class<?> type = Class.forName(name.replace('/', '.'));
                if (Modifier.isPublic(type.getModifiers()))
                {
                    exported.add(type.getSimpleName());
                }
            }
        }
        assertEquals(Set.of("Backend", "SegmentFile", "SegmentStore"), exported);
    }

    @Test
    void whatUsersSeeMentionsNoTypeThatTheyCannotUse() throws IOException, ClassNotFoundException
    {
        final Set<String> seen = new TreeSet<>();
        for (final String name : classes().keySet())
        {
            if (name.matches("io/journal/(store/)?[A-Z].*") && isVisible(Class.forName(name.replace('/', '.'))))
            {
                final Class<?> type = Class.forName(name.replace('/', '.'));
                Arrays.stream(type.getMethods()).map(Method::toGenericString).forEach(seen::add);
                Arrays.stream(type.getFields()).map(Field::toGenericString).forEach(seen::add);
                Arrays.stream(type.getDeclaredConstructors()).filter((each) -> isOfUsers(each.getModifiers()))
                    .map(Constructor::toGenericString).forEach(seen::add);
                Arrays.stream(type.getDeclaredMethods()).filter((each) -> isOfUsers(each.getModifiers()))
                    .map(Method::toGenericString).forEach(seen::add);
                seen.add("extends " + type.getGenericSuperclass() + Arrays.toString(type.getGenericInterfaces()));
            }
        }

        assertTrue(seen.stream().anyMatch((each) -> each.contains("io.journal.Journal.open(")), seen::toString);
        assertEquals(List.of(), seen.stream().filter((each) -> each.contains("io.journal.internal")).toList());
    }

    private static boolean isVisible(final Class<?> type)
    {
        return isOfUsers(type.getModifiers()) &&
            (null == type.getDeclaringClass() || isVisible(type.getDeclaringClass()));
    }

    private static boolean isOfUsers(final int modifiers)
    {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    @Test
    void eachRoomKnowsOnlyRoomsBelowIt() throws IOException
    {
        final Set<String> rooms = new TreeSet<>();
        classes().forEach((name, constants) ->
        {
            final Matcher room = ROOM.matcher(name);
            if (room.lookingAt())
            {
                rooms.add(room.group(1));
                final int floor = FLOORS.indexOf(room.group(1));
                assertTrue(floor >= 0, () -> "room without a floor: " + name);
                assertEquals(List.of(), matches(ENGINE_CLASS, constants), name);
                for (final String used : matches(ROOM, constants))
                {
                    final String other = used.substring("io/journal/internal/".length(), used.length() - 1);
                    assertTrue(FLOORS.indexOf(other) <= floor, () -> name + " uses " + other + ", which is above it");
                }
            }
        });
        assertEquals(Set.copyOf(FLOORS), rooms);
    }

    @Test
    void roomsKnowContractsButNotTheWholeJournal() throws IOException
    {
        classes().forEach((name, constants) ->
        {
            if (ROOM.matcher(name).lookingAt())
            {
                for (final String used : matches(USERS_CLASS, constants))
                {
                    final String type = used.substring("io/journal/".length());
                    assertFalse(UNKNOWN_TO_ROOMS.contains(type), () -> name + " uses " + type);
                }
            }
        });
    }

    @Test
    void locksAndMonitorsAreThoseListed() throws IOException
    {
        final Map<String, String> sources = sources("io/journal");
        assertEquals(Set.of("OrderedLock"), namesOf(sources, "new Reentrant|new Stamped|new Semaphore"));
        assertEquals(LOCKS, namesOf(sources, "new OrderedLock\\("));
        assertEquals(MONITORS, namesOf(sources, "(?m)^[^*/]*\\bsynchronized\\b"));
    }

    private static Set<String> namesOf(final Map<String, String> sources, final String pattern)
    {
        return sources.entrySet().stream()
            .filter((entry) -> Pattern.compile(pattern).matcher(entry.getValue()).find())
            .map((entry) -> entry.getKey().replace(".java", ""))
            .collect(Collectors.toSet());
    }

    @Test
    void nothingOfAgronaThatNeedsAFlagIsUsed() throws IOException
    {
        final TreeSet<String> used = new TreeSet<>();
        classes().values().forEach((constants) -> used.addAll(matches(AGRONA_CLASS, constants)));
        assertTrue(used.contains("org/agrona/DirectBuffer"), used::toString);

        for (final String name : used)
        {
            assertFalse(
                name.matches(
                    ".*(UnsafeBuffer|AtomicBuffer|Expandable\\w+|MappedResizeableBuffer|BufferUtil|MarkFile|IoUtil" +
                        "|Counters\\w+|AtomicCounter|/ringbuffer/.*|/broadcast/.*|Unsafe\\w*).*"),
                name);
            assertFalse(isNeedingAFlag(name), name);
        }
    }

    // Whether the class itself goes to the JDK's internals.
    private static boolean isNeedingAFlag(final String name) throws IOException
    {
        try (InputStream input = DirectBuffer.class.getClassLoader().getResourceAsStream(name + ".class"))
        {
            assertNotNull(input, name);
            final String constants = new String(input.readAllBytes(), StandardCharsets.ISO_8859_1);
            return constants.contains("jdk/internal/") || constants.contains("org/agrona/UnsafeApi");
        }
    }

    @Test
    void searchForClassesThatNeedAFlagFindsThem() throws IOException
    {
        assertTrue(isNeedingAFlag("org/agrona/concurrent/UnsafeBuffer"));
        assertFalse(isNeedingAFlag("org/agrona/DirectBuffer"));
    }

    @Test
    void internalsOfTheJdkAreTouchedOnlyWhereMemoryIsUnmapped() throws IOException
    {
        final Map<String, String> classes = classes();
        for (final String word : List.of("sun.misc.Unsafe", "setAccessible", "java.lang.foreign"))
        {
            final List<String> users = classes.entrySet().stream()
                .filter((entry) -> entry.getValue().contains(word))
                .map((entry) -> entry.getKey().replaceFirst("\\$.*", ""))
                .distinct()
                .toList();
            assertTrue(
                users.isEmpty() || List.of("io/journal/store/Mapping").equals(users), () -> word + " in " + users);
        }
        for (final String word : List.of("sun/misc/", "jdk/internal/", "sun/nio/", "jdk.internal", "sun.nio"))
        {
            classes.forEach((name, constants) -> assertFalse(
                constants.replace(DIRECT_IO_OPTION, "").contains(word), () -> word + " in " + name));
        }
    }

    @Test
    void noNetworkIsUsedNoProcessStartedAndNothingDeserialised() throws IOException
    {
        final Map<String, String> classes = classes();
        for (final String word : List.of(
            "java/net/", "java/nio/channels/Socket", "java/nio/channels/Datagram", "java/nio/channels/ServerSocket",
            "Ljava/lang/Process;", "java/lang/ProcessBuilder", "java/io/ObjectInputStream", "java/rmi/"))
        {
            classes.forEach((name, constants) -> assertFalse(constants.contains(word), () -> word + " in " + name));
        }
        assertTrue(classes.get("io/journal/internal/Engine").contains("java/lang/Thread"));
    }

    @Test
    void testsRunWithoutAFlagThatUsersWouldNeedToo()
    {
        final List<String> arguments = ManagementFactory.getRuntimeMXBean().getInputArguments();
        for (final String argument : arguments)
        {
            assertFalse(
                argument.matches(
                    "--?(add-opens|add-exports|illegal-access|enable-native-access|sun-misc-unsafe).*|-XX:\\+Unlock.*"),
                argument);
        }
        assertFalse(Object.class.getModule().isOpen("jdk.internal.misc", Journal.class.getModule()));
        assertFalse(Object.class.getModule().isExported("jdk.internal.misc", Journal.class.getModule()));
        assertFalse(Object.class.getModule().isOpen("java.nio", Journal.class.getModule()));
    }

    @Test
    void assertionsAreOnInTests()
    {
        assertTrue(Journal.class.desiredAssertionStatus());
    }

    private static Map<String, String> sources(final String folder) throws IOException
    {
        final Path root = Path.of(System.getProperty("basedir", "."), "src", "main", "java");
        try (Stream<Path> paths = Files.walk(root.resolve(folder)))
        {
            return paths.filter((path) -> path.getFileName().toString().matches("[A-Z]\\w+\\.java"))
                .collect(Collectors.toMap(
                    (path) -> path.getFileName().toString(), (path) -> text(path, StandardCharsets.UTF_8)));
        }
    }

    /** The classes of the core with their bytes as text: names of other classes and strings are found in it. */
    private static Map<String, String> classes() throws IOException
    {
        final Path root;
        try
        {
            root = Path.of(Journal.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        }
        catch (final URISyntaxException ex)
        {
            throw new IOException(ex);
        }

        final Map<String, String> classes = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root))
        {
            for (final Path path : paths.filter((file) -> file.toString().endsWith(".class")).toList())
            {
                final String name = root.relativize(path).toString().replace('\\', '/').replaceFirst("\\.class$", "");
                classes.put(name, text(path, StandardCharsets.ISO_8859_1));
            }
        }
        assertTrue(classes.containsKey("io/journal/store/Mapping"), () -> classes.keySet().toString());

        return classes;
    }

    private static String text(final Path path, final java.nio.charset.Charset charset)
    {
        try
        {
            return Files.readString(path, charset);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<String> matches(final Pattern pattern, final String text)
    {
        final Matcher matcher = pattern.matcher(text);
        return matcher.results().map((result) -> result.group()).distinct().toList();
    }
}
