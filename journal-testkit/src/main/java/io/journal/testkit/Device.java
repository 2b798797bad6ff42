// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.journal.store.SegmentStore.NoSpaceException;

/**
 * State that the stores of a directory and of its subdirectories share. The monitor of this object guards it.
 */
final class Device
{
    final Folder root;
    private final List<Inode> mapped = new ArrayList<>();
    private FaultPlan plan = FaultPlan.none();
    private long capacity = Long.MAX_VALUE;

    Device(final Folder root)
    {
        this.root = root;
    }

    void plan(final FaultPlan plan)
    {
        this.plan = plan;
    }

    void capacity(final long capacity)
    {
        this.capacity = capacity;
    }

    /**
     * Called before each step.
     *
     * @return the fault, which the caller applies. If a write or a force fails, the caller throws the error after it
     * has executed the part of the step that takes effect.
     * @throws IOException if any other step fails; the step has no effect.
     */
    Fault before(final StoreStep step) throws IOException
    {
        observe();
        final Fault fault = plan.before(step);
        if (fault.isError() && StoreStep.Kind.WRITE != step.kind() && StoreStep.Kind.FORCE != step.kind())
        {
            throw fault.exception(step);
        }

        return fault;
    }

    long freeSpace()
    {
        return capacity - root.usedBytes();
    }

    void checkSpace(final String name, final long length) throws NoSpaceException
    {
        if (length > freeSpace())
        {
            throw new NoSpaceException("no space left: file=" + name + ", missing=" + length, null);
        }
    }

    /**
     * Observes the present content of all mapped memory.
     */
    void observe()
    {
        for (final Inode inode : mapped)
        {
            inode.observe();
        }
    }

    void mapped(final Inode inode)
    {
        mapped.add(inode);
    }

    void unmapped(final Inode inode)
    {
        mapped.remove(inode);
    }
}
