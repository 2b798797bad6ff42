package io.journal.replicated;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.ReadOnlyJournal;
import io.journal.replicated.aeron.AeronEngine;
import io.journal.replicated.spi.Engine;

/**
 * Makes a directory with which a new or wiped member can start, from that of another member, which may be running under
 * load. The member then catches up from where the copy was made.
 * <p>
 * Also a command: {@code java -cp ... io.journal.replicated.MemberSeed <source> <target> <id>}. Run it where the other
 * member is, and move the result to the new member's machine.
 */
public final class MemberSeed
{
    private MemberSeed()
    {
    }

    /**
     * Runs the command.
     *
     * @param args directory of the other member, directory to create, id of the member that will start with it.
     */
    @SuppressWarnings("checkstyle:console")
    public static void main(final String[] args)
    {
        if (3 != args.length)
        {
            System.err.println("usage: MemberSeed <directory of a member> <directory to create> <member id>");
            System.exit(2);
        }

        try
        {
            final long sequence = copy(Path.of(args[0]), Path.of(args[1]), Integer.parseInt(args[2]));
            System.out.println("member " + args[2] + " can start in " + args[1] + ", with records up to " + sequence);
        }
        catch (final JournalException | IllegalArgumentException ex)
        {
            System.err.println("error: " + ex.getMessage());
            System.exit(1);
        }
    }

    /**
     * Makes the directory.
     *
     * @param source   directory of another member of the same cluster.
     * @param target   directory of the member that will start with it; must not exist, its parent must.
     * @param memberId id of that member. Two members of a cluster must never run with the same.
     * @return the sequence of the newest record in the copy.
     * @throws JournalException if the directory cannot be made; what was made of it has to be deleted.
     */
    public static long copy(final Path source, final Path target, final int memberId)
    {
        return copy(source, target, memberId, new AeronEngine());
    }

    private static long copy(final Path source, final Path target, final int memberId, final Engine engine)
    {
        if (!Files.isDirectory(source.resolve(JournalMember.ENGINE)))
        {
            throw new JournalException("not the directory of a member: directory=" + source);
        }

        try
        {
            Files.createDirectory(target);
            // The journal last: it must not end before the newest snapshot that the engine's files hold.
            engine.copy(source.resolve(JournalMember.ENGINE), target.resolve(JournalMember.ENGINE));
            final long sequence;
            try (ReadOnlyJournal journal = Journal.openReadOnly(source.resolve(JournalMember.JOURNAL)))
            {
                sequence = journal.backup(target.resolve(JournalMember.JOURNAL));
            }
            // At the very end: without it a member does not take the directory for a whole one.
            Files.writeString(target.resolve(JournalMember.ID_FILE), memberId + "\n");
            return sequence;
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot make a member's directory: source=" + source + ", target=" + target + "; cause=" + ex, ex);
        }
    }
}
