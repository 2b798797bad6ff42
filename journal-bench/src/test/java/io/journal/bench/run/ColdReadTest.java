// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Tag("slow")
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs Linux, to drop the page cache and to see what is mapped")
class ColdReadTest
{
    private static final int LENGTH = 1024 * 1024;

    @TempDir
    private Path temp;

    @Test
    void unreachableMappingIsUnmappedBeforeEviction() throws IOException, InterruptedException
    {
        final Path file = Files.write(temp.resolve("file"), new byte[LENGTH]);
        map(file);

        drop(file);

        assertTrue(Files.readAllLines(Path.of("/proc/self/maps")).stream().noneMatch((line) -> line.endsWith("file")));
    }

    private static void map(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            assertEquals(0, channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH).get(0));
        }
    }

    @Test
    void fileWithALiveMappingIsNotCold() throws IOException
    {
        final Path file = Files.write(temp.resolve("file"), new byte[LENGTH]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            final MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
            final IllegalStateException ex = assertThrows(IllegalStateException.class, () -> ColdRead.drop(file));
            assertTrue(ex.getMessage().contains("mapped file"), ex::getMessage);
            assertEquals(0, mapped.get(0));
        }
    }

    @Test
    void readsFromThePageCacheAreReported() throws IOException, InterruptedException
    {
        final Path file = Files.write(temp.resolve("file"), new byte[LENGTH]);
        assumeTrue(!Files.getFileStore(file).type().equals("tmpfs"), "a file system in memory reads no device");
        drop(file);
        final ColdRead cold = new ColdRead(Profile.COLD, file);
        cold.begin();
        Files.readAllBytes(file);
        cold.end(LENGTH);
        final ColdRead warm = new ColdRead(Profile.COLD, file);
        warm.begin();
        warm.end(LENGTH);

        assertTrue(share(cold) > 0.9, () -> "share=" + share(cold));
        assertTrue(share(warm) < 0.9, () -> "share=" + share(warm));
    }

    private static void drop(final Path file) throws IOException, InterruptedException
    {
        try
        {
            ColdRead.drop(file);
        }
        catch (final IllegalStateException ex)
        {
            assumeTrue(!ex.getMessage().contains("neither"), ex.getMessage());
            throw ex;
        }
    }

    private static double share(final ColdRead read)
    {
        return read.deviceShare();
    }
}
