package io.journal.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.bench.journal.Records;

/**
 * Several threads append to one journal, without waiting for durability. The time ends when everything is in the page
 * cache.
 */
final class SharedTrial
{
    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    private SharedTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        final int length = measured.recordLength();
        final int threads = measured.threads();
        final byte[] bytes = new Records(length).bytes();
        final long each = measured.count() / threads;
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (Peer peer = measured.peer().open(settings))
        {
            append(executor, threads, peer, bytes, length, each);
            peer.flush();
            AppendTrial.awaitIdle(settings.directory());
            MemoryWarmUp.run(settings.memory(), measured.amount() * 2);

            final long durationNs = append(executor, threads, peer, bytes, length, each);
            DurableTrial.checkCount(peer, 2 * each * threads);
            return Map.of(Trial.RATE, each * threads * NS_PER_S / durationNs);
        }
        finally
        {
            executor.shutdownNow();
        }
    }

    private static long append(
        final ExecutorService executor, final int threads, final Peer peer, final byte[] bytes, final int length,
        final long each) throws Exception
    {
        // Before any thread is released: none appends in time that is not measured.
        final AtomicLong startNs = new AtomicLong();
        final CyclicBarrier start = new CyclicBarrier(threads, () -> startNs.set(System.nanoTime()));
        final Callable<Void> appending = () ->
        {
            start.await();
            for (long number = 0; number < each; number++)
            {
                peer.append(bytes, Records.offset(number), length);
            }
            return null;
        };
        final List<Future<Void>> running = new ArrayList<>();
        for (int i = 0; i < threads; i++)
        {
            running.add(executor.submit(appending));
        }
        for (final Future<Void> thread : running)
        {
            thread.get();
        }
        peer.flush();
        return System.nanoTime() - startNs.get();
    }
}
