package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The disk below a file system, as Linux describes it in {@code /sys}.
 *
 * @param path of the device; of a partition its own.
 */
record BlockDevice(Path path)
{
    private static final Path SYS = Path.of("/sys/dev/block");

    /** The device of a directory. */
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
        final String below =
            String.join(" ", below().map((each) -> String.valueOf(each.getFileName())).sorted().toList());
        return path.getFileName() + ", " + read(disk.resolve("device/model"), "unknown model") + ", " +
            switch (read(disk.resolve("queue/rotational"), ""))
            {
                case "1" -> "hard disk";
                case "0" -> "solid state or virtual";
                default -> "unknown kind";
            } +
            // The active scheduler is the one in brackets.
            ", scheduler " + read(disk.resolve("queue/scheduler"), "unknown").replaceAll(".*\\[(.*)].*", "$1") +
            ", write cache " + read(disk.resolve("queue/write_cache"), "unknown") +
            (below.isEmpty() ? "" : ", on " + below);
    }

    /**
     * Whether the device is a thin volume of LVM, which gets its space as it is written: it lies on a pool, whose name
     * has a suffix of LVM's.
     */
    boolean isThin()
    {
        return below().map((each) -> read(each.resolve("dm/uuid"), "")).anyMatch((name) -> name.matches(".*-[tv]pool"));
    }

    /** The devices that this one lies on. */
    private Stream<Path> below()
    {
        try (Stream<Path> entries = Files.list(path.resolve("slaves")))
        {
            return entries.toList().stream();
        }
        catch (final IOException ex)
        {
            return Stream.of();
        }
    }

    private static String read(final Path file, final String otherwise)
    {
        final String text = String.join("\n", Machine.read(file)).trim();
        return text.isEmpty() ? otherwise : text;
    }
}
