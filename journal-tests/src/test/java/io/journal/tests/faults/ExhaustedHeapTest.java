// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** The heap is full to the last object when an fsync ends: the threads that wait for it return nevertheless. */
@Tag("slow")
class ExhaustedHeapTest extends JournalFixture
{
    private static final OutOfMemoryError ON_PURPOSE = new OutOfMemoryError("on purpose");

    private static volatile Object heap;

    private enum Fsync
    {
        FAILING, SUCCEEDING
    }

    /** Two backends are enough, because the others write like the second, and the fsync is the test's. */
    @EachBackend(and = Fsync.class, except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void waitersReturnWhenThereIsNoMemory(final Backend backend, final Fsync fsync)
    {
        ChildJvm.run(temp, List.of(), ExhaustedHeapTest.class, directory(), backend, fsync);
    }

    /**
     * @param args directory, backend, and how the fsync ends.
     */
    public static void main(final String[] args) throws Exception
    {
        FaultedWriter.halt(60);
        final Path path = Path.of(args[0]);
        final boolean isFailing = Fsync.FAILING == Fsync.valueOf(args[2]);
        final CountDownLatch isForcing = new CountDownLatch(1);
        final CountDownLatch isFollowed = new CountDownLatch(1);
        final StepStore store = new StepStore(Backend.valueOf(args[1]).store(path), (step, name) ->
        {
            if (StepStore.Step.FORCE == step && name.endsWith(".journal") && "leader".equals(name()))
            {
                isForcing.countDown();
                await(isFollowed);
                fillHeap();
                if (isFailing)
                {
                    throw ON_PURPOSE;
                }
            }
            return true;
        });
        final Journal journal = Journal.builder(path).segmentLength(64 * 1024).store(store)
            .force(ForcePolicy.manual()).backgroundThread(false).open();
        appendNumbered(journal, 1, 10);
        final Thread leader = new Thread(() -> awaitForced(journal), "leader");
        leader.start();
        isForcing.await();

        final List<Background> followers = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            followers.add(Background.start("follower", () -> awaitForced(journal)));
        }
        followers.forEach(Background::awaitParked);
        isFollowed.countDown();
        leader.join();
        followers.forEach(Background::join);
        // Otherwise the next force would repeat the fsync.
        assertTrue(!isFailing || journal.counters().isFailed());
        Runtime.getRuntime().halt(0);
    }

    private static String name()
    {
        return Thread.currentThread().getName();
    }

    private static void awaitForced(final Journal journal)
    {
        try
        {
            journal.awaitForced(1);
        }
        catch (final Throwable ignore)
        {
            // It has returned.
        }
        finally
        {
            heap = null;
        }
    }

    private static void fillHeap()
    {
        Object filled = null;
        for (int length = 1024 * 1024; length >= 0; length = length > 0 ? length / 16 : -1)
        {
            try
            {
                while (true)
                {
                    filled = new Object[]{ filled, length > 0 ? new byte[length] : null };
                    heap = filled;
                }
            }
            catch (final OutOfMemoryError ignore)
            {
                // Smaller objects may still fit.
            }
        }
    }
}
