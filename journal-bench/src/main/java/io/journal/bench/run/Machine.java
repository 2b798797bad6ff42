// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;

/**
 * The facts of the machine that go with every result.
 */
public final class Machine
{
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final Path MEMORY_INFO = Path.of("/proc/meminfo");
    private static final Path OWN_STAT = Path.of("/proc/self/stat");
    private static final Path MOUNTS = Path.of("/proc/mounts");
    private static final Set<String> MEMORY_FILE_SYSTEMS = Set.of("tmpfs", "ramfs");
    private static final Set<String> COPY_ON_WRITE_FILE_SYSTEMS = Set.of("btrfs", "zfs", "bcachefs", "nilfs2");
    private static final String NETWORK_WARNING =
        "network or user-space file system: it decides what is cached and what fsync means";
    private static final int SECTORS_WRITTEN = 6;
    private static final long SECTOR_LENGTH = 512;

    private Machine()
    {
    }

    /** @param measuredFlags flags of the measured JVMs. */
    public static Map<String, String> facts(final Path directory, final String measuredFlags) throws IOException
    {
        final FileStore store = Files.getFileStore(directory);
        final Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", ZonedDateTime.now().format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        final String cpu = value(CPU_INFO, "model name");
        facts.put("CPU", (cpu.isEmpty() ? System.getProperty("os.arch") : cpu) + ", " +
            Runtime.getRuntime().availableProcessors() + " processors");
        final String available = value(MEMORY_INFO, "MemAvailable").replaceAll("\\D", "");
        facts.put("memory", memoryBytes() / Unit.KIB / Unit.KIB + " MiB" + (available.isEmpty() ? "" :
            ", " + Long.parseLong(available) / Unit.KIB + " MiB available"));
        facts.put("load", String.format(
            Locale.ROOT, "%.2f over the last minute",
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        facts.put("JDK", System.getProperty("java.runtime.version") + ", " + System.getProperty("java.vm.name") +
            ", " + System.getProperty("java.vendor"));
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version") + ", " +
            System.getProperty("os.arch"));
        facts.put("JVM flags", "of measured processes " + measuredFlags);
        final Properties build = new Properties();
        try (InputStream in = Machine.class.getResourceAsStream("commit.properties"))
        {
            build.load(null == in ? InputStream.nullInputStream() : in);
        }
        facts.put("commit", commit(build));
        facts.put("files", displayed(directory).toString());
        facts.put("file system", String.format(
            Locale.ROOT, "%s, %s (%s), %,d MB free", store.type(), store.name(),
            mountOptions(read(MOUNTS), store.name()), store.getUsableSpace() / Unit.MB));
        facts.put("disk", BlockDevice.of(directory).describe());
        facts.put("warning", warning(store.type()));
        facts.values().removeIf(String::isEmpty);
        return facts;
    }

    /** Returns a path relative to the working directory if it is below it, otherwise the absolute path. */
    public static Path displayed(final Path path)
    {
        final Path here = Path.of("").toAbsolutePath();
        final Path absolute = path.toAbsolutePath();
        return absolute.startsWith(here) ? here.relativize(absolute) : absolute;
    }

    /** Bytes that were written to the device of a directory, by all processes; -1 if not known. */
    public static long writtenBytes(final Path directory)
    {
        final String[] words =
            String.join("", read(BlockDevice.of(directory).path().resolve("stat"))).trim().split(" +");
        return words.length > SECTORS_WRITTEN ? SECTOR_LENGTH * Long.parseLong(words[SECTORS_WRITTEN]) : -1;
    }

    public static String line(final String key, final String value)
    {
        return String.format(Locale.ROOT, "%-12s %s", key, Terminal.wrap(13, value));
    }

    public static boolean isInMemory(final Path directory) throws IOException
    {
        return MEMORY_FILE_SYSTEMS.contains(Files.getFileStore(directory).type());
    }

    /**
     * Whether overwriting a file of a directory may need space: if there is none, a store to a mapped file may kill the
     * process. Thin volumes other than LVM's cannot be detected.
     */
    public static boolean isOverwritingAllocation(final Path directory) throws IOException
    {
        return COPY_ON_WRITE_FILE_SYSTEMS.contains(Files.getFileStore(directory).type()) ||
            BlockDevice.of(directory).isThin();
    }

    /** A warning about results on a type of file system, or an empty string. */
    public static String warning(final String type)
    {
        if (MEMORY_FILE_SYSTEMS.contains(type))
        {
            return "this file system is in memory: fsync reaches no device, nothing survives a loss of power";
        }
        return switch (type)
        {
            case "overlay", "overlayfs", "aufs", "unionfs" -> "layered file system: the first write to a file may " +
                "copy all of it";
            case "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "glusterfs", "lustre", "afs",
                "sshfs", "vboxsf" -> NETWORK_WARNING;
            default -> type.startsWith("fuse") ? NETWORK_WARNING : "";
        };
    }

    /** Options of the last mount of a device, from the lines of {@code /proc/mounts}. */
    static String mountOptions(final List<String> mounts, final String device)
    {
        return mounts.stream().map((mount) -> mount.split(" "))
            .filter((words) -> words.length > 3 && words[0].equals(device))
            .reduce("unknown options", (found, words) -> words[3], (one, later) -> later);
    }

    /** Value of the first line of a file that begins with a key; empty if it is not there. */
    public static String value(final Path file, final String key)
    {
        return read(file).stream().map((line) -> line.split(":", 2))
            .filter((words) -> words.length > 1 && words[0].trim().equals(key))
            .map((words) -> words[1].trim()).findFirst().orElse("");
    }

    /** Memory of the machine or container. */
    public static long memoryBytes()
    {
        return ((OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    }

    /** Lines of a file; none if it cannot be read. */
    static List<String> read(final Path file)
    {
        try
        {
            return Files.readAllLines(file);
        }
        catch (final IOException | RuntimeException ex)
        {
            // This system does not have it; the other facts suffice.
            return List.of();
        }
    }

    /** Linux's statistics of this process, after its bracketed name; empty if there are none. */
    static List<String> ownStat()
    {
        final String stat = String.join(" ", read(OWN_STAT));
        return stat.isEmpty() ? List.of() : List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
    }

    /**
     * The commit of this build, and whether the working tree had uncommitted changes: results are only comparable
     * within one commit.
     */
    static String commit(final Properties properties)
    {
        final String id = properties.getProperty("git.commit.id", "");
        return id.isEmpty() ? "unknown: not built in a git checkout" :
            id + (Boolean.parseBoolean(properties.getProperty("git.dirty")) ? ", with uncommitted changes" : "");
    }

    /**
     * The disk below a file system, as Linux describes it in {@code /sys}.
     *
     * @param path of the device; of a partition its own.
     */
    record BlockDevice(Path path)
    {
        private static final Path SYS = Path.of("/sys/dev/block");

        static BlockDevice of(final Path directory)
        {
            try
            {
                return of(SYS, (Long)Files.getAttribute(directory, "unix:dev"));
            }
            catch (final IOException | RuntimeException ex)
            {
                return new BlockDevice(SYS.resolve("unknown"));
            }
        }

        /**
         * @param devices directory in which the system lists devices by number.
         * @param number  of the device, as stat(2) returns it: the C library's packing of major and minor number.
         */
        static BlockDevice of(final Path devices, final long number) throws IOException
        {
            final long major = number >>> 8 & 0xFFF | number >>> 32 & ~0xFFFL;
            final long minor = number & 0xFF | number >>> 12 & 0xFFFFFF00L;
            final Path link = devices.resolve(major + ":" + minor);
            return new BlockDevice(Files.exists(link) ? link.toRealPath() : link);
        }

        /** Name, model, kind, scheduler and write cache; "unknown" for what the system does not report. */
        String describe()
        {
            if (!Files.exists(path))
            {
                return "unknown";
            }
            // A partition shares the queue of the whole disk.
            final Path disk = Files.exists(path.resolve("partition")) ? path.resolve("..").normalize() : path;
            final String kind = read(disk.resolve("queue/rotational"), "unknown kind");
            final String below = String.join(" ", below().map((each) -> each.toFile().getName()).sorted().toList());
            return String.join(
                ", ", path.toFile().getName(), read(disk.resolve("device/model"), "unknown model"),
                "1".equals(kind) ? "hard disk" : "0".equals(kind) ? "solid state or virtual" : kind,
                // The active scheduler is the one in brackets.
                "scheduler " + read(disk.resolve("queue/scheduler"), "unknown").replaceAll(".*\\[(.*)].*", "$1"),
                "write cache " + read(disk.resolve("queue/write_cache"), "unknown")) +
                (below.isEmpty() ? "" : ", on " + below);
        }

        /**
         * Whether the device is a thin volume of LVM, which gets its space as it is written: it lies on a pool, whose
         * name has a suffix of LVM's.
         */
        boolean isThin()
        {
            return below().anyMatch((each) -> read(each.resolve("dm/uuid"), "").matches(".*-[tv]pool"));
        }

        private Stream<Path> below()
        {
            final File[] below = path.resolve("slaves").toFile().listFiles();
            return null == below ? Stream.of() : Stream.of(below).map(File::toPath);
        }

        private static String read(final Path file, final String otherwise)
        {
            final String text = String.join("\n", Machine.read(file)).trim();
            return text.isEmpty() ? otherwise : text;
        }
    }
}
