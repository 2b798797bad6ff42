// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.bench.run.Machine.BlockDevice;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BlockDeviceTest
{
    // Numbers 8:1, as stat(2) packs them.
    private static final long PARTITION = 8 << 8 | 1;
    private static final long MAPPED = 253 << 8;

    @TempDir
    private Path sys;

    private Path numbers;

    @BeforeEach
    void setUp() throws IOException
    {
        numbers = Files.createDirectory(sys.resolve("block"));
    }

    @Test
    void aPartitionIsDescribedByItsDisk() throws IOException
    {
        final Path disk = sys.resolve("devices/sda");
        write(disk.resolve("device/model"), "Fast Disk\n");
        write(disk.resolve("queue/rotational"), "0\n");
        write(disk.resolve("queue/scheduler"), "none [mq-deadline] bfq\n");
        write(disk.resolve("queue/write_cache"), "write back\n");
        write(disk.resolve("sda1/partition"), "1\n");
        Files.createSymbolicLink(numbers.resolve("8:1"), disk.resolve("sda1"));

        assertEquals(
            "sda1, Fast Disk, solid state or virtual, scheduler mq-deadline, write cache write back",
            BlockDevice.of(numbers, PARTITION).describe());
    }

    @Test
    void unknownFactsAreNotInvented() throws IOException
    {
        final Path disk = sys.resolve("devices/dm-0");
        write(disk.resolve("queue/rotational"), "1\n");
        write(disk.resolve("slaves/sdb"), "");
        write(disk.resolve("slaves/sda"), "");
        Files.createSymbolicLink(numbers.resolve("253:0"), disk);

        assertEquals(
            "dm-0, unknown model, hard disk, scheduler unknown, write cache unknown, on sda sdb",
            BlockDevice.of(numbers, MAPPED).describe());
    }

    @Test
    void aThinVolumeLiesOnAPool() throws IOException
    {
        final Path disk = sys.resolve("devices/dm-0");
        write(disk.resolve("slaves/dm-1/dm/uuid"), "LVM-abc\n");
        Files.createSymbolicLink(numbers.resolve("253:0"), disk);
        assertFalse(BlockDevice.of(numbers, MAPPED).isThin());

        write(disk.resolve("slaves/dm-1/dm/uuid"), "LVM-abc-tpool\n");
        assertTrue(BlockDevice.of(numbers, MAPPED).isThin());
        assertFalse(BlockDevice.of(numbers, PARTITION).isThin());
    }

    @Test
    void aFileSystemWithoutADiskHasNone() throws IOException
    {
        assertEquals("unknown", BlockDevice.of(numbers, 0x2A).describe());
    }

    private static void write(final Path file, final String text) throws IOException
    {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
