// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.Stream;

import io.journal.JournalException;
import io.journal.JournalNotFoundException;

/**
 * A member's directory: the local journal, the engine's files, and the member's id, which is written last: without it,
 * no member starts in the directory.
 */
record MemberDirectory(Path path)
{
    private static final String ID_FILE = "member.id";
    private static final String LOST_AND_FOUND = "lost+found";

    Path journal()
    {
        return path.resolve("journal");
    }

    Path engine()
    {
        return path.resolve("engine");
    }

    void create(final int memberId)
    {
        try
        {
            createUnlessEmpty();
            // Durable before the id, because a member without this directory counts as damaged.
            Files.createDirectory(engine());
            MemberFiles.forceNames(path);
            writeId(memberId);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot create the member's directory: directory=" + path, ex);
        }
    }

    /** Creates the directory, unless it is there and empty. */
    private void createUnlessEmpty() throws IOException
    {
        final Path parent = path.toAbsolutePath().getParent();
        if (null != parent && !Files.isDirectory(parent))
        {
            // Creating the parent as well would hide a wrong path, or a volume that is not mounted.
            throw new JournalNotFoundException(
                "no directory to create the member's in: directory=" + path + ", missing=" + parent +
                    "; correct the path, or mount or create what is missing");
        }
        if (!Files.isDirectory(path))
        {
            Files.createDirectory(path);
        }
        final Optional<String> found = content();
        if (found.isPresent())
        {
            throw new JournalException(
                "the directory of a new member must be empty: directory=" + path + ", found=" + found.get() + "; " +
                    (Files.exists(path.resolve(ID_FILE)) ? "it is that of a member: start it, or " : "") +
                    "choose another directory");
        }
    }

    /** Returns the name of some file in the directory, ignoring files that a new volume has at its root. */
    Optional<String> content() throws IOException
    {
        try (Stream<Path> files = Files.list(path))
        {
            return files.map((file) -> String.valueOf(file.getFileName()))
                .filter((name) -> !LOST_AND_FOUND.equals(name))
                .findAny();
        }
    }

    /** Atomic: after a loss of power the id is there as a whole, or not at all. */
    void writeId(final int memberId) throws IOException
    {
        final Path temporary = path.resolve(ID_FILE + ".tmp");
        try (FileChannel channel = FileChannel.open(
            temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE))
        {
            channel.write(ByteBuffer.wrap((memberId + "\n").getBytes(StandardCharsets.US_ASCII)));
            channel.force(true);
        }
        Files.move(temporary, path.resolve(ID_FILE), StandardCopyOption.ATOMIC_MOVE);
        MemberFiles.forceNames(path);
    }

    int id()
    {
        final Path file = path.resolve(ID_FILE);
        try
        {
            return Integer.parseInt(Files.readString(file).trim());
        }
        catch (final IOException | NumberFormatException ex)
        {
            throw new JournalException("cannot read the member's id: file=" + file + "; cause=" + ex, ex);
        }
    }

    /**
     * Checks that a member can start here.
     */
    void check(final int memberId)
    {
        if (!Files.exists(path.resolve(ID_FILE)))
        {
            throw new JournalException(
                "no member in this directory: directory=" + path + ", memberId=" + memberId +
                    "; if the member lost its files, or the seed was interrupted, delete what is there and seed it " +
                    "from another member: started empty, the cluster could lose records that are acknowledged; if " +
                    "the cluster is new, call JournalMember.create once");
        }

        final int found = id();
        if (found != memberId)
        {
            throw new JournalException(
                "directory of another member: directory=" + path + ", memberId=" + found + ", expected=" + memberId +
                    "; give each member its own directory");
        }

        if (!Files.isDirectory(engine()))
        {
            throw lost(engine().toString());
        }
    }

    /**
     * Checks that the log exists from which the journal's records come, together with the files that the log needs.
     * Without the log of recordings, Aeron does not know that it has a log, and would vote without its records. Without
     * the state of the node, it would vote again in a term in which it has voted.
     */
    void checkLog(final long lastSequence, final boolean isLogThere)
    {
        if (lastSequence > 0 && !isLogThere)
        {
            throw lost("the cluster's log in " + engine());
        }
        for (final Path needed : MemberFiles.neededByLog(engine()))
        {
            if (isLogThere && !Files.exists(needed))
            {
                throw lost(needed.toString());
            }
        }
    }

    private JournalException lost(final String part)
    {
        return new JournalException(
            "the member's directory has lost a part: directory=" + path + ", missing=" + part +
                "; move it away and seed the member from another one");
    }
}
