// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Locale;
import java.util.spi.ToolProvider;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalNotFoundException;
import io.journal.ReadOnlyJournal;

/**
 * Copies the directory of a member, which may be running under load, so that a new or wiped member can start with it.
 * That member then catches up from the position of the copy.
 * <p>
 * This class is also a command, {@code journal seed}, if this jar is on the class path of the tools, which find it by
 * its name as a {@link ToolProvider}. Run it on the machine of the other member, and move the result to the new
 * member's machine.
 */
public final class MemberSeed implements ToolProvider
{
    private static final int OK = 0;
    // Exit codes of the tools.
    private static final int USAGE = 2;
    private static final int NO_JOURNAL = 3;
    private static final int FAILED = 5;

    /** The constructor that {@link java.util.ServiceLoader} needs. */
    public MemberSeed()
    {
    }

    @Override
    public String name()
    {
        return "journal-seed";
    }

    /**
     * Runs the command.
     *
     * @param args directory of the other member, directory to create, id of the member that will start with it.
     * @return 0 if the directory is complete, 2 if an argument is wrong, 3 if the first one is not the directory of a
     *         member, 5 if it could not be copied.
     */
    @Override
    public int run(final PrintWriter out, final PrintWriter err, final String... args)
    {
        if (3 != args.length)
        {
            err.println("expected: the directory of a member, the directory to create, the id of the new member");
            return USAGE;
        }

        try
        {
            final long sequence = copy(Path.of(args[0]), Path.of(args[1]), memberId(args[2]));
            out.println("Member " + args[2] + " can start in " + args[1] + ": it has the records up to " +
                String.format(Locale.ROOT, "%,d", sequence) + ", and catches up from there.");
            return OK;
        }
        catch (final JournalException | IllegalArgumentException ex)
        {
            err.println(ex.getMessage());
            return ex instanceof JournalNotFoundException ? NO_JOURNAL :
                ex instanceof IllegalArgumentException ? USAGE : FAILED;
        }
    }

    private static int memberId(final String text)
    {
        try
        {
            return Integer.parseInt(text);
        }
        catch (final NumberFormatException ex)
        {
            throw new IllegalArgumentException("not the id of a member: " + text + "; ids are 0, 1, 2 and so on", ex);
        }
    }

    /**
     * Makes the directory.
     *
     * @param source   directory of another member of the same cluster.
     * @param target   directory of the member that will start with it: empty, but for a volume's {@code lost+found},
     *                 or absent; its parent must exist.
     * @param memberId id of that member. Two members of a cluster must never run with the same.
     * @return the sequence of the newest record in the copy.
     * @throws IllegalArgumentException if the target is not a directory, is not empty or lies within the source, or the
     *                                  id is negative or that of the source; nothing was made.
     * @throws JournalNotFoundException if the source is not the directory of a member; nothing was made.
     * @throws JournalException         if the directory cannot be made; what was made of it has to be deleted.
     */
    public static long copy(final Path source, final Path target, final int memberId)
    {
        try
        {
            check(source, target, memberId);
            final MemberDirectory from = new MemberDirectory(source);
            final MemberDirectory to = new MemberDirectory(target);
            if (!Files.isDirectory(target))
            {
                Files.createDirectory(target);
            }
            // Copy the journal last, because it must not end before the newest snapshot among the engine's files.
            MemberFiles.copy(from.engine(), to.engine(), (step) ->
            {
                // Only tests act between the steps.
            });
            final long sequence;
            try (ReadOnlyJournal journal = Journal.openReadOnly(from.journal()))
            {
                sequence = journal.backup(to.journal());
            }
            to.writeId(memberId);
            return sequence;
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot make a member's directory: source=" + source + ", target=" + target +
                    "; delete what there is of the target, and try again; cause=" + ex,
                ex);
        }
    }

    private static void check(final Path source, final Path target, final int memberId) throws IOException
    {
        final MemberDirectory member = new MemberDirectory(source);
        if (!Files.isDirectory(member.engine()) || !Files.isDirectory(member.journal()))
        {
            throw new JournalNotFoundException(
                "not the directory of a member that has run: " + source + "; it is the one that was given to the " +
                    "member, with engine and journal in it");
        }
        final boolean isThere = Files.exists(target, LinkOption.NOFOLLOW_LINKS);
        if (isThere && (!Files.isDirectory(target) || new MemberDirectory(target).content().isPresent()))
        {
            throw new IllegalArgumentException("the directory to create must be absent or empty: " + target);
        }
        if (target.toAbsolutePath().normalize().startsWith(source.toAbsolutePath().normalize()))
        {
            throw new IllegalArgumentException(
                "the directory to create lies within that of the member: source=" + source + ", target=" + target);
        }
        if (memberId < 0 || memberId == member.id())
        {
            throw new IllegalArgumentException(
                "not the id of another member: memberId=" + memberId + ", source=" + source +
                    "; two members of a cluster must never run with the same id");
        }
    }
}
