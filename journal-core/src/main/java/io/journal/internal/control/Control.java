// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import java.util.function.UnaryOperator;

import io.journal.JournalException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.lock.OrderedLock;

/**
 * The control state of an open journal, and the lock under which it changes. Thread-safe.
 */
public final class Control
{
    private final ControlFile file;
    public final WriterFence fence;
    private final FailureLatch latch;
    private final OrderedLock lock;
    private volatile History history;

    public Control(final ControlFile file, final WriterFence fence)
    {
        this.file = file;
        this.fence = fence;
        latch = fence.latch;
        lock = new OrderedLock(OrderedLock.Level.CONTROL, latch);
        history = file.state().history;
    }

    public ControlState state()
    {
        return file.state();
    }

    /** The history as readers see it: it changes after the files and the ends of the journal. */
    public History history()
    {
        return history;
    }

    /** Shows readers the current history. */
    public void publish()
    {
        history = file.state().history;
    }

    /** Runs an action that excludes changes of the state by other threads. */
    public <T, E extends Exception> T exclusively(final OrderedLock.Action<T, E> action) throws E
    {
        return lock.locked(action);
    }

    /**
     * Changes the state, durably. A result that differs only in its generation is written as well.
     *
     * @param what      names the change in the exception if it fails.
     * @param isForGood whether the previous state must not come back, see {@link ControlFile#replace}.
     * @throws JournalException      if it is not known whether the journal is still this writer's: nothing was changed;
     *                               or if storage failed.
     * @throws IllegalStateException if the new state has no room; nothing was changed.
     */
    public void change(final String what, final boolean isForGood, final UnaryOperator<ControlState> change)
    {
        lock.locked(() ->
        {
            latch.checkStorage();
            fence.checkBefore(what);
            final ControlState next = change.apply(file.state());
            if (!ControlFile.hasRoom(next))
            {
                throw new IllegalStateException(
                    "cannot " + what + ": no room in the journal's state: cuts=" + next.history.cuts().size() +
                        ", cursors=" + next.cursors().size() + "; prune the journal, or delete cursors");
            }
            try
            {
                file.replace(next, isForGood);
            }
            catch (final Throwable ex)
            {
                throw latch.fail(ex).exception(what, ex);
            }
            return null;
        });
    }
}
