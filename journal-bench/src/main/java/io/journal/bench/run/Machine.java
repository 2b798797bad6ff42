package io.journal.bench.run;

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

import com.sun.management.OperatingSystemMXBean;

/**
 * The facts of the machine that go with every result.
 */
public final class Machine
{
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final Path MEMORY_INFO = Path.of("/proc/meminfo");
    private static final Path MOUNTS = Path.of("/proc/mounts");
    private static final Set<String> MEMORY_FILE_SYSTEMS = Set.of("tmpfs", "ramfs");
    private static final Set<String> COPY_ON_WRITE_FILE_SYSTEMS = Set.of("btrfs", "zfs", "bcachefs", "nilfs2");
    private static final Set<String> LAYERED_FILE_SYSTEMS = Set.of("overlay", "overlayfs", "aufs", "unionfs");
    private static final Set<String> NETWORK_FILE_SYSTEMS = Set.of(
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "ceph", "glusterfs", "lustre", "afs", "sshfs",
        "vboxsf");
    private static final int KIB_PER_MIB = 1024;

    private Machine()
    {
    }

    /**
     * Describes the machine and the file system of a directory, line by line.
     */
    public static String describe(final Path directory) throws IOException
    {
        return describe(facts(directory));
    }

    public static String describe(final Map<String, String> facts)
    {
        final StringBuilder lines = new StringBuilder();
        facts.forEach((key, value) -> lines.append(line(key, value)));
        return lines.toString();
    }

    /**
     * Facts of the machine and of the file system of a directory, by name.
     */
    public static Map<String, String> facts(final Path directory) throws IOException
    {
        return facts(directory, "none");
    }

    /**
     * Includes the flags of the measured JVMs.
     */
    static Map<String, String> facts(final Path directory, final String measuredFlags) throws IOException
    {
        final FileStore store = Files.getFileStore(directory);
        final Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", ZonedDateTime.now().format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        facts.put("CPU", cpu() + ", " + Runtime.getRuntime().availableProcessors() + " processors");
        facts.put("memory", memory());
        facts.put("load", load());
        facts.put("JDK", System.getProperty("java.runtime.version") + ", " + System.getProperty("java.vm.name") +
            ", " + System.getProperty("java.vendor"));
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version") + ", " +
            System.getProperty("os.arch"));
        final List<String> flags = ManagementFactory.getRuntimeMXBean().getInputArguments();
        facts.put("JVM flags",
            (flags.isEmpty() ? "none" : String.join(" ", flags)) + ", of measured children " + measuredFlags);
        facts.put("commit", Build.commit());
        facts.put("files", directory.toString());
        facts.put("file system", store.type() + ", " + store.name() + mountOptions(store) + ", " +
            megabytes(store.getUsableSpace()) + " MB free");
        facts.put("disk", BlockDevice.describe(directory));
        final String warning = warning(store.type());
        if (!warning.isEmpty())
        {
            facts.put("warning", warning);
        }

        return facts;
    }

    public static String line(final String key, final String value)
    {
        return String.format(Locale.ROOT, "%-12s %s%n", key, value);
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
        return isCopyOnWrite(Files.getFileStore(directory).type()) || BlockDevice.isThin(directory);
    }

    /** Whether a type of file system writes elsewhere what is overwritten. */
    public static boolean isCopyOnWrite(final String type)
    {
        return COPY_ON_WRITE_FILE_SYSTEMS.contains(type);
    }

    /**
     * A warning about results on a type of file system, or an empty string.
     */
    public static String warning(final String type)
    {
        if (MEMORY_FILE_SYSTEMS.contains(type))
        {
            return "this file system is in memory: fsync reaches no device, nothing survives a loss of power";
        }

        if (LAYERED_FILE_SYSTEMS.contains(type))
        {
            return "layered file system: the first write to a file may copy all of it";
        }

        if (NETWORK_FILE_SYSTEMS.contains(type) || type.startsWith("fuse"))
        {
            return "network or user-space file system: it decides what is cached and what fsync means";
        }

        return "";
    }

    /**
     * Options of a mount, from the lines of {@code /proc/mounts}.
     *
     * @param name  of the device, as in the file store.
     * @param point it is mounted at; empty if not known.
     * @return the options, or an empty string if they are not listed.
     */
    public static String mountOptions(final List<String> mounts, final String name, final String point)
    {
        String found = "";
        for (final String mount : mounts)
        {
            final String[] words = mount.split(" ");
            if (words.length > 3 && words[0].equals(name) && (point.isEmpty() || unescape(words[1]).equals(point)))
            {
                found = words[3];
            }
        }

        return found;
    }

    /**
     * Value of the first line that begins with a key.
     */
    public static String value(final List<String> lines, final String key)
    {
        for (final String line : lines)
        {
            final int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).trim().equals(key))
            {
                return line.substring(colon + 1).trim();
            }
        }

        return "";
    }

    private static String cpu()
    {
        final String name = value(read(CPU_INFO), "model name");
        return name.isEmpty() ? System.getProperty("os.arch") : name;
    }

    /** Memory of the machine or container. */
    public static long memoryBytes()
    {
        return ((OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    }

    private static String memory()
    {
        return memory(read(MEMORY_INFO), memoryBytes());
    }

    /**
     * @param lines of {@code /proc/meminfo}, which describes the host even in a container.
     * @param most  memory limit of the container in bytes.
     */
    static String memory(final List<String> lines, final long most)
    {
        final String total = value(lines, "MemTotal");
        final String available = value(lines, "MemAvailable");
        if (total.isEmpty())
        {
            return "unknown";
        }

        final String text = mebibytes(total) + " MiB, " + mebibytes(available) + " MiB available";
        final long mostMebibytes = most / KIB_PER_MIB / KIB_PER_MIB;
        return mostMebibytes < kibibytes(total) / KIB_PER_MIB ?
            text + ", container limit " + mostMebibytes + " MiB" : text;
    }

    private static String mebibytes(final String kibibytes)
    {
        final long number = kibibytes(kibibytes);
        return number < 0 ? "?" : Long.toString(number / KIB_PER_MIB);
    }

    private static long kibibytes(final String text)
    {
        final String digits = text.replaceAll("\\D", "");
        return digits.isEmpty() ? -1 : Long.parseLong(digits);
    }

    private static String load()
    {
        final double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f over the last minute", load);
    }

    private static String mountOptions(final FileStore store)
    {
        // On Linux the string form of a file store is "mount point (device)".
        final String text = store.toString();
        final String suffix = " (" + store.name() + ")";
        final String point = text.endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : "";
        final String options = mountOptions(read(MOUNTS), store.name(), point);
        return (point.isEmpty() ? "" : " on " + point) + (options.isEmpty() ? "" : " (" + options + ")");
    }

    private static String unescape(final String mountPoint)
    {
        return mountPoint.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    }

    private static String megabytes(final long bytes)
    {
        return String.format(Locale.ROOT, "%,d", bytes / 1_000_000);
    }

    private static List<String> read(final Path file)
    {
        try
        {
            return Files.readAllLines(file);
        }
        catch (final IOException | RuntimeException ex)
        {
            // Not on this system; the other facts suffice.
            return List.of();
        }
    }

    /**
     * The commit of this build: results are only comparable within one commit.
     */
    static final class Build
    {
        private static final String PROPERTIES = "commit.properties";

        private Build()
        {
        }

        /**
         * The commit, and whether the working tree had uncommitted changes.
         */
        static String commit()
        {
            final Properties properties = new Properties();
            try (InputStream in = Build.class.getResourceAsStream(PROPERTIES))
            {
                if (null != in)
                {
                    properties.load(in);
                }
            }
            catch (final IOException ignore)
            {
                // Reported as a build outside a checkout.
            }

            return commit(properties);
        }

        static String commit(final Properties properties)
        {
            final String id = properties.getProperty("git.commit.id", "");
            if (id.isEmpty())
            {
                return "unknown: not built in a git checkout";
            }

            return id + (Boolean.parseBoolean(properties.getProperty("git.dirty")) ? ", with uncommitted changes" : "");
        }
    }
}
