// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.aeron.CommonContext;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

/**
 * Directories of Aeron's buffers. A media driver that starts in a directory deletes the files that a killed process
 * left there. Thread-safe.
 */
final class AeronDirectories
{
    // A file lock excludes other processes only, and closing any channel of the file would release it. So locks of this
    // process are kept here.
    private static final Set<String> IN_USE = ConcurrentHashMap.newKeySet();

    private AeronDirectories()
    {
    }

    /** {@return the directory of a member, the same for each of its starts} The caller has locked the member. */
    static String ofMember(final AeronEngine engine, final Path memberDirectory)
    {
        final byte[] path = memberDirectory.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
        return name(engine, UUID.nameUUIDFromBytes(path).toString());
    }

    /** {@return the first directory of this user's writers that nobody has locked, locked} */
    static OfWriter lockForWriter(final AeronEngine engine) throws IOException
    {
        for (int i = 0;; i++)
        {
            final String name = name(engine, System.getProperty("user.name") + "-writer-" + i);
            if (IN_USE.add(name))
            {
                FileChannel lock = null;
                try
                {
                    lock = tryLock(Path.of(name + ".lock"));
                }
                finally
                {
                    if (null == lock)
                    {
                        IN_USE.remove(name);
                    }
                }
                if (null != lock)
                {
                    return new OfWriter(name, lock);
                }
            }
        }
    }

    private static String name(final AeronEngine engine, final String suffix)
    {
        final Path parent = null != engine.memoryDirectory ? engine.memoryDirectory :
            Path.of(CommonContext.AERON_DIR_PROP_DEFAULT).resolveSibling("");
        return parent.resolve("journal-" + suffix).toString();
    }

    /** The file is never deleted: another process could lock it after it has lost its name. */
    private static FileChannel tryLock(final Path file) throws IOException
    {
        Files.createDirectories(file.resolveSibling(""));
        final FileChannel channel = FileChannel.open(file, Set.of(CREATE, WRITE, LinkOption.NOFOLLOW_LINKS));
        try
        {
            if (null != channel.tryLock())
            {
                return channel;
            }
            channel.close();
        }
        catch (final OverlappingFileLockException ex)
        {
            // Another class loader of this JVM holds the lock. Closing the channel would release it.
        }
        return null;
    }

    /** The directory of a writer. Its lock ends with the process. */
    record OfWriter(String name, FileChannel lock) implements AutoCloseable
    {
        @Override
        public void close() throws IOException
        {
            lock.close();
            IN_USE.remove(name);
        }
    }
}
