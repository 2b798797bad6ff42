package io.journal.replicated.bench;

import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.replicated.JournalMember;
import io.journal.replicated.aeron.AeronEngine;
import io.journal.replicated.spi.MemberOptions;
import io.journal.replicated.spi.Members;

/**
 * A member in a JVM of its own, with a journal or with the bare machine. It ends when its input does.
 */
public final class BenchMember
{
    private static final int MAX_MESSAGE_LENGTH = 20 * 1024;

    private BenchMember()
    {
    }

    /**
     * @param args member id, members, directory, whether a quorum fsyncs, {@code journal} or {@code bare}.
     */
    public static void main(final String[] args) throws Exception
    {
        final int memberId = Integer.parseInt(args[0]);
        final Path directory = Path.of(args[2]);
        final boolean isForced = Boolean.parseBoolean(args[3]);
        final AeronEngine engine = engine(directory.getParent());
        if ("journal".equals(args[4]))
        {
            JournalMember.create(memberId, directory);
        }
        final AutoCloseable member = "journal".equals(args[4]) ?
            JournalMember.builder(memberId, args[1], directory).forced(isForced).engine(engine)
                .snapshotEvery(Long.MAX_VALUE).start() :
            engine.start(
                new MemberOptions(
                    memberId, Members.parse(args[1]), Files.createDirectories(directory), isForced, MAX_MESSAGE_LENGTH,
                    1, 0),
                new BareMachine(directory.resolve("bytes")));
        while (System.in.read() >= 0)
        {
            Thread.onSpinWait();
        }
        member.close();
    }

    static AeronEngine engine(final Path directory)
    {
        return new AeronEngine().termLength(4 * 1024 * 1024).memoryDirectory(directory.resolve("memory"));
    }
}
