package io.journal.replicated.aeron;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import org.agrona.IoUtil;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** Names for the directories of Aeron's buffers, and what is left of them. */
final class AeronDirectories
{
    // Those that are random: of writers.
    private static final Pattern RANDOM =
        Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    private static final int UUID_LENGTH = 36;

    private AeronDirectories()
    {
    }

    /**
     * The same for each start of a member, so that the next one deletes what a killed one left.
     */
    static String of(final AeronEngine engine, final Path memberDirectory)
    {
        final byte[] path = memberDirectory.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
        return of(engine, UUID.nameUUIDFromBytes(path));
    }

    /**
     * Another one for each writer: {@link #deleteAbandoned} deletes what a killed one left.
     */
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

    /**
     * Deletes the directories that writers of this user have left beside another one: memory that nobody else frees.
     *
     * @param directory of a writer that runs; it was made by {@link #of(AeronEngine)}.
     */
    static void deleteAbandoned(final String directory)
    {
        final Path own = Path.of(directory);
        final String name = String.valueOf(own.getFileName());
        final String prefix = name.substring(0, name.length() - UUID_LENGTH);
        try
        {
            final UserPrincipal user = Files.getOwner(own);
            for (final Path sibling : siblings(own))
            {
                if (isOfWriter(sibling, prefix) && isAbandoned(sibling, user))
                {
                    IoUtil.delete(sibling.toFile(), true);
                }
            }
        }
        catch (final IOException | UncheckedIOException | UnsupportedOperationException ex)
        {
            // The next writer tries again.
        }
    }

    private static List<Path> siblings(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.list(directory.resolveSibling("")))
        {
            return files.toList();
        }
    }

    private static boolean isOfWriter(final Path directory, final String prefix)
    {
        final String name = String.valueOf(directory.getFileName());
        return name.startsWith(prefix) && RANDOM.matcher(name.substring(prefix.length())).matches() &&
            Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Whether its media driver was killed. A stopped one has a process; one in another namespace of processes, whose
     * own is not found here, has been alive lately.
     */
    private static boolean isAbandoned(final Path directory, final UserPrincipal user)
    {
        try (FileChannel channel =
            FileChannel.open(directory.resolve(CncFileDescriptor.CNC_FILE), StandardOpenOption.READ))
        {
            final ByteBuffer metaData = read(channel, 0, CncFileDescriptor.META_DATA_LENGTH);
            // Written last: until then the driver starts.
            if (CncFileDescriptor.CNC_VERSION != metaData.getInt(CncFileDescriptor.cncVersionOffset(0)) ||
                !user.equals(Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS)))
            {
                return false;
            }

            final int toDriverLength = metaData.getInt(CncFileDescriptor.toDriverBufferLengthOffset(0));
            final long heartbeatMs = read(
                channel,
                CncFileDescriptor.END_OF_METADATA_OFFSET + toDriverLength - RingBufferDescriptor.TRAILER_LENGTH +
                    RingBufferDescriptor.CONSUMER_HEARTBEAT_OFFSET,
                Long.BYTES).getLong(0);
            return System.currentTimeMillis() - heartbeatMs > TimeUnit.NANOSECONDS.toMillis(AeronParts.PAUSE_NS) &&
                ProcessHandle.of(metaData.getLong(CncFileDescriptor.pidOffset(0))).isEmpty();
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            // It is being created, or deleted, or not what its name says.
            return false;
        }
    }

    private static ByteBuffer read(final FileChannel channel, final int offset, final int length) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        if (length != channel.read(buffer, offset))
        {
            throw new IOException("file too short: offset=" + offset);
        }

        return buffer;
    }
}
