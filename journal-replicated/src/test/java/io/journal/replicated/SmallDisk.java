// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Assumptions;

/** A small ext4 file system of its own, which can be filled up. Needs root on Linux; the test is skipped elsewhere. */
final class SmallDisk implements AutoCloseable
{
    private static final int BLOCK_LENGTH = 64 * 1024;

    final Path path;
    private final Path filling;

    private SmallDisk(final Path path)
    {
        this.path = path;
        filling = path.resolve("filling");
    }

    static SmallDisk mount(final Path directory, final int megabytes) throws IOException
    {
        Assumptions.assumeTrue(Command.isRootOnLinux(), "needs root on Linux, to mount");
        final Path image = directory.resolve("image");
        final Path path = Files.createDirectories(directory.resolve("mount"));
        try
        {
            try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw"))
            {
                file.setLength(megabytes * 1024L * 1024);
            }
            Command.run("mkfs.ext4", "-q", "-F", "-m", "0", image.toString());
            Command.run("mount", "-o", "loop", image.toString(), path.toString());
        }
        catch (final IOException ex)
        {
            Assumptions.abort("cannot mount here: " + ex.getMessage());
        }
        return new SmallDisk(path);
    }

    /** Takes all the space there is. */
    void fill() throws IOException
    {
        try (FileChannel channel = FileChannel.open(filling, StandardOpenOption.CREATE, StandardOpenOption.WRITE))
        {
            final byte[] block = new byte[BLOCK_LENGTH];
            while (true)
            {
                channel.write(java.nio.ByteBuffer.wrap(block));
            }
        }
        catch (final IOException ex)
        {
            if (!String.valueOf(ex.getMessage()).contains("No space left"))
            {
                throw ex;
            }
        }
    }

    void free() throws IOException
    {
        Files.delete(filling);
    }

    /** Blocks every write until {@link #resume()}. */
    void suspend() throws IOException
    {
        Command.run("fsfreeze", "-f", path.toString());
    }

    void resume() throws IOException
    {
        Command.run("fsfreeze", "-u", path.toString());
    }

    @Override
    public void close() throws IOException
    {
        Command.run("umount", path.toString());
    }
}
