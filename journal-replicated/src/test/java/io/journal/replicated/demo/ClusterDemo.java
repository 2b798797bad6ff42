package io.journal.replicated.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.journal.replicated.ReplicatedJournal;
import io.journal.replicated.aeron.AeronEngine;
import io.journal.replicated.support.ProcessCluster;
import org.agrona.IoUtil;

/**
 * Three members and a writer on this machine. Each second it prints what they do; kill a member to see the failover.
 * Ctrl-C ends all of them and deletes their files.
 */
public final class ClusterDemo
{
    private static final int RECORD_LENGTH = 256;
    private static final int RESTART_SECONDS = 5;
    // 80 columns: each member with its role and thousands of records, then the writer.
    private static final String ROW = "%-17s %-17s %-17s %9s  %s%n";
    private static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(1);

    private final CountDownLatch end = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final int[] downSeconds = new int[3];
    private final Path directory;

    private ClusterDemo(final Path directory)
    {
        this.directory = directory;
    }

    /**
     * @param args directory, seconds to run or 0 to run until Ctrl-C.
     */
    public static void main(final String[] args) throws Exception
    {
        final ClusterDemo demo = new ClusterDemo(Path.of(args[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(demo::stop));
        demo.run(Integer.parseInt(args[1]));
    }

    private void stop()
    {
        end.countDown();
        try
        {
            ended.await(1, TimeUnit.MINUTES);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void run(final int seconds) throws Exception
    {
        IoUtil.delete(directory.toFile(), true);
        System.out.println("Starting three members and a writer on 127.0.0.1.");
        try (ProcessCluster cluster = new ProcessCluster(directory, false, HEARTBEAT_TIMEOUT))
        {
            final AeronEngine engine =
                new AeronEngine().termLength(1024 * 1024).memoryDirectory(directory.resolve("memory"));
            final ReplicatedJournal journal = ReplicatedJournal.builder(cluster.addresses).engine(engine).connect();
            final Thread thread = new Thread(() -> append(journal), "writer");
            thread.start();
            show(cluster, journal, seconds);
            if (end.getCount() > 0)
            {
                thread.interrupt();
                thread.join();
                close(journal);
            }
            // Ctrl-C ends the members as well, so the writer would wait for them in vain. It ends with this process.
        }
        finally
        {
            delete();
            ended.countDown();
        }
    }

    private void append(final ReplicatedJournal journal)
    {
        final byte[] record = new byte[RECORD_LENGTH];
        try
        {
            while (end.getCount() > 0 && !Thread.currentThread().isInterrupted())
            {
                journal.appender().append(record);
            }
        }
        catch (final RuntimeException ex)
        {
            if (end.getCount() > 0)
            {
                System.out.println("The writer ended: " + ex.getMessage());
            }
        }
    }

    private void show(final ProcessCluster cluster, final ReplicatedJournal journal, final int seconds)
        throws InterruptedException
    {
        long before = journal.forcedSequence();
        for (int second = 1; 0 == seconds || second <= seconds; second++)
        {
            if (end.await(1, TimeUnit.SECONDS))
            {
                return;
            }

            final long committed = journal.forcedSequence();
            if (1 == second % 20)
            {
                System.out.println();
                System.out.println("Kill the leader, in another terminal:  kill -9 " + cluster.pid(journal.leaderId()));
                System.out.println(
                    "It is started again after " + RESTART_SECONDS + " seconds. Ctrl-C ends everything.");
                System.out.printf(ROW, "member 0", "member 1", "member 2", "records/s", "writer");
            }
            System.out.printf(
                ROW, text(cluster, 0), text(cluster, 1), text(cluster, 2), String.format("%,d", committed - before),
                journal.state().toString().toLowerCase(Locale.ROOT).replace('_', ' '));
            before = committed;
            restart(cluster);
        }
    }

    private static String text(final ProcessCluster cluster, final int memberId)
    {
        final ProcessCluster.State state = cluster.state(memberId);
        return null == state ? cluster.isAlive(memberId) ? "starting" : "down" :
            state.role().toString().toLowerCase(Locale.ROOT) + String.format(" %,dk", state.lastSequence() / 1000);
    }

    private void restart(final ProcessCluster cluster)
    {
        for (int i = 0; i < downSeconds.length; i++)
        {
            downSeconds[i] = cluster.isAlive(i) ? 0 : downSeconds[i] + 1;
            if (RESTART_SECONDS == downSeconds[i])
            {
                cluster.start(i);
            }
        }
    }

    private static void close(final ReplicatedJournal journal)
    {
        try
        {
            journal.close();
        }
        catch (final RuntimeException ex)
        {
            System.out.println("Records were in flight: " + ex.getMessage());
        }
    }

    private void delete()
    {
        IoUtil.delete(directory.toFile(), true);
        System.out.println(Files.exists(directory) ? "Left over: " + directory : "Nothing is left.");
    }
}
