// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Evicts a file from the page cache before each read, and measures which share of the read bytes came from the device,
 * because eviction is only a request.
 */
public final class ColdRead
{
    private static final Path IO = Path.of("/proc/self/io");
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");
    private static final int UNMAP_ATTEMPTS = 50;
    private static final int UNMAP_MS = 10;

    private final Path file;
    private final boolean isEnabled;
    private String how = "";
    private long deviceBytes;
    private long readBytes;

    /** In any other profile than the cold one, all calls have no effect. */
    public ColdRead(final Profile profile, final Path file)
    {
        this.file = file;
        isEnabled = Profile.COLD == profile;
    }

    /** Evicts the file; call just before reading it. */
    public void begin() throws IOException, InterruptedException
    {
        if (isEnabled)
        {
            how = drop(file);
            deviceBytes -= deviceBytes();
        }
    }

    /** Call just after reading so many bytes of the file. */
    public void end(final long length)
    {
        if (isEnabled)
        {
            deviceBytes += deviceBytes();
            readBytes += length;
        }
    }

    /** Prints how the file was evicted, and the share of read bytes that came from the device. */
    public void print()
    {
        if (isEnabled)
        {
            Child.print("cold", how);
            Child.print("fromDeviceShare", deviceShare());
        }
    }

    double deviceShare()
    {
        return Math.min(1, (double)deviceBytes / readBytes);
    }

    private static long deviceBytes()
    {
        return Long.parseLong(Machine.value(IO, "read_bytes"));
    }

    /**
     * Fsyncs a file, then evicts it. Unreachable mappings of it in this process are unmapped first, since mapped pages
     * are not evicted: the JVM unmaps a buffer some time after a garbage collection found it unreachable.
     *
     * @return the method that was used.
     * @throws IllegalStateException if this system offers no way to do it.
     */
    static String drop(final Path file) throws IOException, InterruptedException
    {
        force(file);
        final String path = file.toRealPath().toString();
        for (int i = 0; Machine.read(MAPS).stream().anyMatch((line) -> line.endsWith(path)); i++)
        {
            if (UNMAP_ATTEMPTS == i)
            {
                throw new IllegalStateException("cannot evict a mapped file: file=" + file);
            }
            System.gc();
            Thread.sleep(UNMAP_MS);
        }

        try
        {
            Files.writeString(DROP_CACHES, "3");
            return "drop_caches";
        }
        catch (final IOException ex)
        {
            if (Child.succeeds("dd", "if=" + file, "iflag=nocache", "count=0"))
            {
                return "posix_fadvise by dd";
            }
            throw new IllegalStateException(
                "cannot evict the file from the page cache: neither " + DROP_CACHES +
                    " nor dd's nocache works; run as root on Linux",
                ex);
        }
    }

    public static void force(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }
}
