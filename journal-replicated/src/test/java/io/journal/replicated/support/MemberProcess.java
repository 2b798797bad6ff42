package io.journal.replicated.support;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import io.journal.replicated.JournalMember;
import io.journal.replicated.aeron.AeronEngine;

/**
 * A member in a JVM of its own. It prints its state whenever that changes, and ends when its input does, which happens
 * at the latest when its parent ends.
 */
public final class MemberProcess
{
    private static final long INTERVAL_MS = 100;
    private static volatile boolean isEnded;

    private MemberProcess()
    {
    }

    /**
     * @param args member id, members, directory, whether a quorum fsyncs, heartbeat timeout in milliseconds.
     */
    public static void main(final String[] args) throws Exception
    {
        final Thread thread = new Thread(MemberProcess::awaitEnd, "await-end");
        thread.setDaemon(true);
        thread.start();
        final Path directory = Path.of(args[2]);
        final AeronEngine engine = new AeronEngine().termLength(1024 * 1024).logSegmentLength(4 * 1024 * 1024)
            .heartbeatTimeout(Duration.ofMillis(Long.parseLong(args[4])))
            .memoryDirectory(directory.resolveSibling("memory"));
        try (JournalMember member = JournalMember.builder(Integer.parseInt(args[0]), args[1], directory)
            .forced(Boolean.parseBoolean(args[3])).engine(engine).start())
        {
            String printed = "";
            while (!isEnded && null == member.failure())
            {
                final String state = String.join(
                    " ", member.role().toString(), Integer.toString(member.leaderId()),
                    Long.toString(member.lastSequence()), Long.toString(member.commitPosition()));
                if (!state.equals(printed))
                {
                    System.out.println(state);
                    printed = state;
                }
                Thread.sleep(INTERVAL_MS);
            }
        }
    }

    private static void awaitEnd()
    {
        try
        {
            int read;
            do
            {
                read = System.in.read();
            }
            while (read >= 0);
        }
        catch (final IOException ex)
        {
            // An end as well.
        }
        isEnded = true;
    }
}
