package io.journal.replicated.aeron;

import java.nio.file.Path;
import java.util.UUID;

import io.aeron.CommonContext;

/** Names for the directories of Aeron's buffers. */
final class AeronDirectories
{
    private AeronDirectories()
    {
    }

    /**
     * The same for each start of a member, so that the next one deletes what a killed one left.
     */
    static String of(final AeronEngine engine, final Path memberDirectory)
    {
        final byte[] path = memberDirectory.toAbsolutePath().normalize().toString()
            .getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return of(engine, UUID.nameUUIDFromBytes(path));
    }

    static String of(final AeronEngine engine)
    {
        return of(engine, UUID.randomUUID());
    }

    private static String of(final AeronEngine engine, final UUID uuid)
    {
        final String name = "journal-" + uuid;
        return null != engine.memoryDirectory ? engine.memoryDirectory.resolve(name).toString() :
            CommonContext.AERON_DIR_PROP_DEFAULT + '-' + name;
    }
}
