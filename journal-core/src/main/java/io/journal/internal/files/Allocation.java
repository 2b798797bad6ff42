package io.journal.internal.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Which segments are known to be allocated on the device: those from an ordinal on, as long as {@code journal.lock} is
 * the same file. In a copy of the directory, which may have holes where bytes are zero, it is another file.
 * <p>
 * Zeros that were written but not fsynced reserve the space only until the system ends. The record then names the boot
 * of the system, and counts for no other.
 */
record Allocation(long from, String boot, boolean isLost)
{
    private static final String PREFIX = "allocated=";
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final String ANY_BOOT = "";
    // Where a boot has no name nothing is recorded, so that the next opening knows of no segment.
    private static final String UNKNOWN_BOOT = "unknown";
    // Null as long as it could not be read: a process may be without a file descriptor for a while.
    private static final AtomicReference<String> CURRENT_BOOT = new AtomicReference<>();
    private static final Allocation NONE = new Allocation(Long.MAX_VALUE, ANY_BOOT, false);

    static Allocation onDevice(final long from)
    {
        return new Allocation(from, ANY_BOOT, false);
    }

    Allocation onlyReserved()
    {
        return new Allocation(from, currentBoot(), isLost);
    }

    boolean isReserved()
    {
        return !ANY_BOOT.equals(boot);
    }

    /**
     * @param inode identity of {@code journal.lock}; empty if the file system provides none.
     */
    static Allocation parse(final String ownerFile, final String inode)
    {
        final String[] lines = ownerFile.split("\n");
        final String known = PREFIX + inode + ":";
        if (lines.length < 2 || inode.isEmpty() || !lines[1].startsWith(known))
        {
            return NONE;
        }

        final String[] fields = lines[1].substring(known.length()).split(":");
        final String boot = fields.length > 1 ? fields[1] : ANY_BOOT;
        if (!ANY_BOOT.equals(boot) && !boot.equals(currentBoot()))
        {
            // With that boot, so that it is known as lost until the space is allocated again.
            return new Allocation(Long.MAX_VALUE, boot, true);
        }

        try
        {
            return new Allocation(Long.parseLong(fields[0]), boot, false);
        }
        catch (final NumberFormatException ignore)
        {
            return NONE;
        }
    }

    String line(final String inode)
    {
        if (Long.MAX_VALUE == from && !isReserved() || inode.isEmpty() || UNKNOWN_BOOT.equals(boot))
        {
            return "";
        }

        return PREFIX + inode + ":" + from + (isReserved() ? ":" + boot : "") + "\n";
    }

    private static String currentBoot()
    {
        final String known = CURRENT_BOOT.get();
        if (null != known)
        {
            return known;
        }

        try
        {
            final String id = Files.readString(BOOT_ID).trim();
            CURRENT_BOOT.set(id.isEmpty() ? UNKNOWN_BOOT : id);
            return CURRENT_BOOT.get();
        }
        catch (final IOException | RuntimeException ignore)
        {
            return UNKNOWN_BOOT;
        }
    }
}
