package io.journal.testkit;

import java.util.Iterator;
import java.util.Random;

import io.journal.store.Backend;

/**
 * A moment of a {@link FaultStore} at which the process, or the operating system with it, may have ended, and what that
 * would have left. Immutable, and safe for use by several threads; takes memory only for what differs from moment to
 * moment.
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
     * What is left when the process is killed: all that was with the operating system, which still has to bring it to
     * the device, and still counts as forced what a failed force left out.
     *
     * @return a store of its own.
     */
    public FaultStore killed()
    {
        return new FaultStore(backend, new Device(Folder.of(image)));
    }

    /**
     * How many disks a loss of power may leave, also those that come to the same.
     *
     * @param tearing pieces that outlive it or not.
     * @return the number, or {@link Long#MAX_VALUE} if there are more.
     */
    public long diskCount(final Tearing tearing)
    {
        return new Disks(image, tearing).count();
    }

    /**
     * One of the disks a loss of power may leave.
     *
     * @param tearing pieces that outlive it or not.
     * @param seed    the same one gives the same disk.
     * @return a store of its own, in which all is forced.
     */
    public FaultStore disk(final Tearing tearing, final long seed)
    {
        final Disks disks = new Disks(image, tearing);
        return store(disks.build(disks.random(new Random(seed))));
    }

    /**
     * The disks a loss of power may leave: all of them if they are not too many, otherwise samples. The samples begin
     * with the disk that holds nothing of what was not forced, and the one that holds all of it; then come those that
     * differ from one of these in a single piece or name, and then any.
     *
     * @param tearing pieces that outlive it or not.
     * @param limit   how many disks at most.
     * @param seed    the same one gives the same samples.
     * @return the disks, each made when it is asked for, as a store of its own in which all is forced. Some may be
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
