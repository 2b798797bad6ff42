// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.lock;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OrderedLockTest
{
    private final Object journal = new Object();
    private final OrderedLock manage = new OrderedLock(OrderedLock.Level.MANAGE, journal);
    private final OrderedLock force = new OrderedLock(OrderedLock.Level.FORCE, journal);
    private final OrderedLock window = new OrderedLock(OrderedLock.Level.WINDOW, journal);

    @AfterEach
    void nothingIsHeldAtTheEnd()
    {
        assertTrue(OrderedLock.isCallbackAllowed(journal));
    }

    @Test
    void locksAreTakenInOrder()
    {
        manage.lock();
        force.lock();
        window.lock();
        assertFalse(OrderedLock.isCallbackAllowed(journal));
        window.unlock();
        force.unlock();
        manage.unlock();
    }

    @Test
    void takingALockOutOfOrderFails()
    {
        window.lock();
        final AssertionError error = assertThrows(AssertionError.class, manage::lock);
        window.unlock();

        assertEquals("lock out of order: level=MANAGE, held=[WINDOW]", error.getMessage());
        assertNull(otherThread(manage::lock, manage::unlock), "the lock was taken nevertheless");
    }

    @Test
    void takingALowerLockFailsAlsoWhenTheHighestHeldIsNotTheNewest()
    {
        window.lock();
        assertTrue(manage.tryLock());
        assertThrows(AssertionError.class, force::lock);
        manage.unlock();
        window.unlock();
    }

    @Test
    void takingAnotherLockOfTheSameLevelFails()
    {
        final OrderedLock next = new OrderedLock(OrderedLock.Level.WINDOW, journal);
        window.lock();
        assertThrows(AssertionError.class, next::lock);
        window.unlock();
    }

    @Test
    void heldLockIsTakenAgainInAnyOrder()
    {
        manage.lock();
        window.lock();
        manage.lock();
        manage.unlock();
        window.unlock();
        assertFalse(OrderedLock.isCallbackAllowed(journal), "taken twice, released once");
        assertThrows(AssertionError.class, new OrderedLock(OrderedLock.Level.MANAGE, journal)::lock);
        manage.unlock();
    }

    @Test
    void takingALockWithoutWaitingHasNoOrder()
    {
        window.lock();
        assertTrue(manage.tryLock());
        manage.unlock();
        window.unlock();
    }

    @Test
    void lockThatAnotherThreadHoldsIsNotCountedAsHeld()
    {
        force.lock();
        final Throwable error = otherThread(() ->
        {
            assertFalse(force.tryLock());
            assertTrue(OrderedLock.isCallbackAllowed(journal));
            manage.lock();
            manage.unlock();
        }, () ->
        {
        });
        force.unlock();
        assertNull(error);
    }

    @Test
    void locksOfDifferentJournalsHaveNoOrder()
    {
        final Object otherJournal = new Object();
        final OrderedLock other = new OrderedLock(OrderedLock.Level.MANAGE, otherJournal);
        window.lock();
        other.lock();
        assertFalse(OrderedLock.isCallbackAllowed(otherJournal));
        other.unlock();
        assertTrue(OrderedLock.isCallbackAllowed(otherJournal));
        window.unlock();
    }

    @Test
    void callbackIsAllowedToAThreadThatWritesASnapshot()
    {
        final OrderedLock snapshots = new OrderedLock(OrderedLock.Level.SNAPSHOTS, journal);
        snapshots.lock();
        assertTrue(OrderedLock.isCallbackAllowed(journal));
        snapshots.unlock();
    }

    private static Throwable otherThread(final Runnable first, final Runnable second)
    {
        final AtomicReference<Throwable> error = new AtomicReference<>();
        final CountDownLatch ended = new CountDownLatch(1);
        final Thread thread = new Thread(() ->
        {
            try
            {
                first.run();
                second.run();
            }
            catch (final Throwable ex)
            {
                error.set(ex);
            }
            finally
            {
                ended.countDown();
            }
        });
        thread.start();
        try
        {
            ended.await();
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }

        return error.get();
    }
}
