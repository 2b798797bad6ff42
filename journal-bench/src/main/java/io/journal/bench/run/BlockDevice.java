package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The disk below a file system, as Linux describes it in {@code /sys}.
 */
final class BlockDevice
{
    private static final Path SYS = Path.of("/sys/dev/block");

    private BlockDevice()
    {
    }

    /**
     * Name, model, kind, scheduler and write cache; "unknown" for what the system does not report.
     */
    static String describe(final Path directory)
    {
        try
        {
            final long number = (Long)Files.getAttribute(directory, "unix:dev");
            return describe(SYS, number);
        }
        catch (final IOException | RuntimeException ex)
        {
            return "unknown";
        }
    }

    /**
     * @param devices directory in which the system lists devices by number.
     * @param number  of the device, as stat(2) returns it.
     */
    static String describe(final Path devices, final long number) throws IOException
    {
        final Path link = devices.resolve(major(number) + ":" + minor(number));
        if (!Files.exists(link))
        {
            return "unknown";
        }

        Path device = link.toRealPath();
        final String name = String.valueOf(device.getFileName());
        if (Files.exists(device.resolve("partition")))
        {
            // A partition shares the queue of the whole disk.
            device = device.resolve("..").normalize();
        }

        final List<String> words = new ArrayList<>();
        words.add(name);
        words.add(or(read(device.resolve("device/model")), "unknown model"));
        final String rotational = read(device.resolve("queue/rotational"));
        words.add(
            "1".equals(rotational) ? "hard disk" : "0".equals(rotational) ? "solid state or virtual" : "unknown kind");
        words.add("scheduler " + or(chosen(read(device.resolve("queue/scheduler"))), "unknown"));
        words.add("write cache " + or(read(device.resolve("queue/write_cache")), "unknown"));
        final String below = names(device.resolve("slaves"));
        if (!below.isEmpty())
        {
            words.add("on " + below);
        }

        return String.join(", ", words);
    }

    /**
     * Whether the device is a thin volume of LVM, which gets its space as it is written.
     */
    static boolean isThin(final Path directory)
    {
        try
        {
            return isThin(SYS, (Long)Files.getAttribute(directory, "unix:dev"));
        }
        catch (final IOException | RuntimeException ex)
        {
            return false;
        }
    }

    /** As above: a thin volume lies on a pool, whose name has a suffix of LVM's. */
    static boolean isThin(final Path devices, final long number) throws IOException
    {
        final Path below = devices.resolve(major(number) + ":" + minor(number)).resolve("slaves");
        if (!Files.isDirectory(below))
        {
            return false;
        }

        try (Stream<Path> entries = Files.list(below))
        {
            return entries.map((entry) -> read(entry.resolve("dm/uuid"))).anyMatch(
                (name) -> name.endsWith("-tpool") || name.endsWith("-vpool"));
        }
    }

    // The C library's packing of major and minor number.
    private static long major(final long number)
    {
        return number >>> 8 & 0xFFF | number >>> 32 & ~0xFFFL;
    }

    private static long minor(final long number)
    {
        return number & 0xFF | number >>> 12 & 0xFFFFFF00L;
    }

    /**
     * The active scheduler is the one in brackets.
     */
    private static String chosen(final String schedulers)
    {
        final int from = schedulers.indexOf('[');
        final int to = schedulers.indexOf(']');
        return from >= 0 && to > from ? schedulers.substring(from + 1, to) : schedulers;
    }

    private static String names(final Path directory) throws IOException
    {
        if (!Files.isDirectory(directory))
        {
            return "";
        }

        try (Stream<Path> entries = Files.list(directory))
        {
            return String.join(" ", entries.map((entry) -> String.valueOf(entry.getFileName())).sorted().toList());
        }
    }

    private static String or(final String text, final String otherwise)
    {
        return text.isEmpty() ? otherwise : text;
    }

    private static String read(final Path file)
    {
        try
        {
            return Files.readString(file).trim();
        }
        catch (final IOException ex)
        {
            return "";
        }
    }
}
