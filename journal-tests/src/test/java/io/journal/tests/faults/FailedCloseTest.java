// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore.Step;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Closing a failed journal while readers flush its buffered records. The files are closed only when no thread writes to
 * them, and a reader that waited for its turn does not write any more.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedCloseTest extends JournalFixture
{
    private final CountDownLatch isWriting = new CountDownLatch(1);
    private final CountDownLatch mayWrite = new CountDownLatch(1);
    private final AtomicInteger writes = new AtomicInteger();
    private volatile boolean isHeld;
    private volatile boolean isFailing;

    @EachBackend(except = Backend.MAPPED)
    void closingWaitsForAReaderThatWritesAndNoOtherFollows(final Backend backend) throws Exception
    {
        final Journal journal =
            builder(backend, this::before).writeWindow(64 * 1024).backgroundThread(false).open();
        final JournalReader first = closing(journal.openReader());
        final JournalReader second = closing(journal.openReader());
        appendNumbered(journal, 2, 10);
        isHeld = true;
        final Background writing = Background.start("first", () -> pollUnlessFailed(first));
        isWriting.await();
        final Background waiting = Background.start("second", () -> pollUnlessFailed(second));
        awaitBlocked(waiting);

        isFailing = true;
        assertThrows(JournalException.class, () -> journal.cursor("consumer"));
        final Background closing =
            Background.start("closing", () -> assertThrows(JournalException.class, journal::close));
        assertTrue(awaitBlocked(closing), "closed while a reader writes");
        final int before = writes.get();
        mayWrite.countDown();

        writing.join();
        waiting.join();
        closing.join();
        assertEquals(before, writes.get());
    }

    private static void pollUnlessFailed(final JournalReader reader)
    {
        try
        {
            reader.poll((buffer, offset, length, header) ->
            {
            }, 10);
        }
        catch (final JournalException ignore)
        {
            // If no read threw, the journal has failed in the meantime.
        }
    }

    /** Waits until a thread waits for a lock; returns false if the thread has ended. */
    private static boolean awaitBlocked(final Background background)
    {
        while (background.thread().isAlive() && Thread.State.WAITING != background.thread().getState() &&
            Thread.State.TIMED_WAITING != background.thread().getState())
        {
            Thread.onSpinWait();
        }
        return background.thread().isAlive();
    }

    private boolean before(final Step step, final String name) throws IOException
    {
        if (Step.WRITE == step && name.endsWith(".journal") && isHeld)
        {
            writes.incrementAndGet();
            isWriting.countDown();
            awaitUninterrupted();
        }
        if (Step.FORCE == step && isFailing)
        {
            throw new IOException("fsync fails on purpose");
        }
        return true;
    }

    private void awaitUninterrupted() throws IOException
    {
        try
        {
            mayWrite.await();
        }
        catch (final InterruptedException ex)
        {
            throw new IOException(ex);
        }
    }
}
