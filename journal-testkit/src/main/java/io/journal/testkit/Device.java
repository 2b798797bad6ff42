package io.journal.testkit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.journal.store.NoSpaceException;

/**
 * What the stores of a directory and of those within it share. Its monitor guards all of it.
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
     * To be called before each step.
     *
     * @return what becomes of the step, if it does not fail.
     * @throws IOException if the step fails before it has done anything.
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

    void checkSpace(final String name, final long length) throws NoSpaceException
    {
        if (length > capacity - root.usedBytes())
        {
            throw new NoSpaceException("no space left: file=" + name + ", missing=" + length, null);
        }
    }

    /**
     * Looks at all mapped memory.
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
