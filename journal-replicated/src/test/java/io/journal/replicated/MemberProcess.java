// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A member in a JVM of its own. It prints its state whenever that changes, and ends when its input does, which happens
 * at the latest when its parent ends. Its exit status is 1 if it failed.
 */
final class MemberProcess
{
    private static final long INTERVAL_MS = 50;
    private static volatile boolean isEnded;

    private MemberProcess()
    {
    }

    /** Settings of each member of a cluster. */
    record Settings(boolean isForced, Duration heartbeatTimeout, long snapshotEvery, int segmentLength)
    {
        private static final int COUNT = 4;

        List<String> arguments()
        {
            return List.of(
                Boolean.toString(isForced), Long.toString(heartbeatTimeout.toMillis()), Long.toString(snapshotEvery),
                Integer.toString(segmentLength));
        }

        private static Settings parse(final List<String> arguments)
        {
            return new Settings(
                Boolean.parseBoolean(arguments.get(0)), Duration.ofMillis(Long.parseLong(arguments.get(1))),
                Long.parseLong(arguments.get(2)), Integer.parseInt(arguments.get(3)));
        }
    }

    /**
     * @param args member id, members, directory, directory of Aeron's buffers, settings.
     */
    public static void main(final String[] args) throws Exception
    {
        final Thread thread = new Thread(MemberProcess::awaitEnd, "await-end");
        thread.setDaemon(true);
        thread.start();
        final Settings settings = Settings.parse(List.of(args).subList(args.length - Settings.COUNT, args.length));
        final AeronEngine engine = new AeronEngine().termLength(1024 * 1024).logSegmentLength(4 * 1024 * 1024)
            .heartbeatTimeout(settings.heartbeatTimeout).memoryDirectory(Path.of(args[3]));
        try (JournalMember member = JournalMember.builder(Integer.parseInt(args[0]), args[1], Path.of(args[2]))
            .forced(settings.isForced).snapshotEvery(settings.snapshotEvery)
            .journal((journal) -> journal.segmentLength(settings.segmentLength)).engine(engine).start())
        {
            printStates(member);
            if (null != member.failure())
            {
                throw new IllegalStateException("the member failed: " + member, member.failure());
            }
        }
    }

    private static void printStates(final JournalMember member) throws InterruptedException
    {
        String printed = "";
        while (!isEnded && null == member.failure())
        {
            final String state = ProcessCluster.State.of(member).print();
            if (!state.equals(printed))
            {
                System.out.println(state);
                printed = state;
            }
            Thread.sleep(INTERVAL_MS);
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
            // A failed read also means that the parent has ended.
        }
        isEnded = true;
    }
}
