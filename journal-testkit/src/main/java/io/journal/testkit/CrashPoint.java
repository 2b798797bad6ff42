// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.util.Iterator;
import java.util.Random;

import io.journal.store.Backend;

/**
 * The state of a {@link FaultStore} at one moment. From it follow the stores that a crash of the process, or of the
 * whole machine, at that moment may leave. These stores are independent, and have no faults and no limit of capacity.
 * Immutable and thread-safe. Crash points share the memory of everything that did not change between them.
 */
public final class CrashPoint
{
    private final Backend backend;
    private final FolderImage image;

    CrashPoint(final Backend backend, final FolderImage image)
    {
        this.backend = backend;
        this.image = image;
    }

    /**
     * The store that a killed process leaves: it has the whole content of the page cache. Dirty pages stay dirty, and
     * pages that a failed fsync marked clean stay clean.
     *
     * @return an independent store.
     */
    public FaultStore killed()
    {
        return new FaultStore(backend, new Device(Folder.of(image)));
    }

    /**
     * Number of disk states a power loss may leave. States with equal content count separately.
     *
     * @param tearing unit of an atomic write.
     * @return the number, or {@link Long#MAX_VALUE} if there are more.
     */
    public long diskCount(final Tearing tearing)
    {
        return new Disks(image, tearing).count();
    }

    /**
     * One of the disk states a power loss may leave.
     *
     * @param tearing unit of an atomic write.
     * @param seed    the same seed gives the same disk.
     * @return an independent store, in which everything is durable.
     */
    public FaultStore disk(final Tearing tearing, final long seed)
    {
        final Disks disks = new Disks(image, tearing);
        return store(disks.build(disks.random(new Random(seed))));
    }

    /**
     * The disk states a power loss may leave: all of them if the limit allows, otherwise samples. The first two samples
     * are the extremes: nothing that was not yet durable is there, and all of it is there. Then follow states that
     * differ from an extreme in a single unit, length or name, and then random states.
     *
     * @param tearing unit of an atomic write.
     * @param limit   maximum number of disks.
     * @param seed    the same seed gives the same samples.
     * @return the disks, each created on iteration as an independent store in which everything is durable. Some may be
     *         equal: see {@link FaultStore#fingerprint()}.
     */
    public Iterable<FaultStore> disks(final Tearing tearing, final int limit, final long seed)
    {
        final Disks disks = new Disks(image, tearing);
        return () -> new Iterator<>()
        {
            private final Iterator<int[]> picks = disks.picks(limit, new Random(seed));

            @Override
            public boolean hasNext()
            {
                return picks.hasNext();
            }

            @Override
            public FaultStore next()
            {
                return store(disks.build(picks.next()));
            }
        };
    }

    private FaultStore store(final FolderImage disk)
    {
        return new FaultStore(backend, new Device(Folder.of(disk)));
    }
}
