// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Calls the test before each call that modifies, opens or reads a file. Accesses through a mapping are not intercepted.
 */
public final class StepStore implements SegmentStore
{
    private final SegmentStore delegate;
    private final String prefix;
    private final Steps steps;

    public StepStore(final SegmentStore delegate, final Steps steps)
    {
        this(delegate, "", steps);
    }

    private StepStore(final SegmentStore delegate, final String prefix, final Steps steps)
    {
        this.delegate = delegate;
        this.prefix = prefix;
        this.steps = steps;
    }

    /** Omits all fsyncs, which cost time and change nothing that outlives a process. */
    public static StepStore unforced(final SegmentStore delegate)
    {
        return new StepStore(delegate, (step, name) -> Step.FORCE != step && Step.FORCE_DIRECTORY != step);
    }

    public enum Step
    {
        MAKE_DIRECTORY, CREATE, WRITE, FORCE, RENAME, DELETE, FORCE_DIRECTORY
    }

    /** Called before every step; a thrown exception replaces the step. */
    @FunctionalInterface
    public interface Steps
    {
        /**
         * @return whether the step is to be made.
         */
        boolean before(Step step, String name) throws IOException;

        /**
         * @return whether bytes of the file are to be written.
         */
        default boolean beforeWrite(final String name, final long offset, final int length) throws IOException
        {
            return before(Step.WRITE, name);
        }

        /**
         * @return whether the file is to be renamed.
         */
        default boolean beforeRename(final String from, final String to) throws IOException
        {
            return before(Step.RENAME, to);
        }

        /**
         * @return whether a force that fails is retried, which the journal itself must never do.
         */
        default boolean isForceRetried()
        {
            return false;
        }

        /** Called before each opening of an existing file. */
        default void beforeOpen(final String name) throws IOException
        {
            // Most tests need only the calls that change something.
        }

        /** Called before an open file is mapped for the first time. */
        default void beforeMap(final String name) throws IOException
        {
            // Most tests need no call for mappings.
        }

        /**
         * Called after each read of a file.
         *
         * @param bytes that were read, to be changed at will.
         */
        default void afterRead(final String name, final long offset, final ByteBuffer bytes) throws IOException
        {
            // Likewise.
        }
    }

    /** Makes every step. */
    public interface AllSteps extends Steps
    {
        @Override
        default boolean before(final Step step, final String name) throws IOException
        {
            return true;
        }
    }

    @Override
    public void makeDirectory() throws IOException
    {
        if (steps.before(Step.MAKE_DIRECTORY, prefix))
        {
            delegate.makeDirectory();
        }
    }

    @Override
    public List<String> list() throws IOException
    {
        return delegate.list();
    }

    @Override
    public SegmentFile create(final String name, final long length) throws IOException
    {
        steps.before(Step.CREATE, prefix + name);
        return new File(name, delegate.create(name, length));
    }

    @Override
    public SegmentFile createUnallocated(final String name, final long length) throws IOException
    {
        steps.before(Step.CREATE, prefix + name);
        return new File(name, delegate.createUnallocated(name, length));
    }

    @Override
    public SegmentFile open(final String name, final Access access) throws IOException
    {
        steps.beforeOpen(prefix + name);
        return new File(name, delegate.open(name, access));
    }

    @Override
    public void rename(final String from, final String to) throws IOException
    {
        if (steps.beforeRename(prefix + from, prefix + to))
        {
            delegate.rename(from, to);
        }
    }

    @Override
    public void delete(final String name) throws IOException
    {
        if (steps.before(Step.DELETE, prefix + name))
        {
            delegate.delete(name);
        }
    }

    @Override
    public void force() throws IOException
    {
        if (steps.before(Step.FORCE_DIRECTORY, prefix))
        {
            delegate.force();
        }
    }

    @Override
    public SegmentStore child(final String name) throws IOException
    {
        return new StepStore(delegate.child(name), prefix + name + "/", steps);
    }

    @Override
    public Memory memory()
    {
        return delegate.memory();
    }

    private final class File implements SegmentFile
    {
        private final String name;
        private final SegmentFile file;
        private final AtomicBoolean isForcing = new AtomicBoolean();
        private volatile boolean isMapped;

        File(final String name, final SegmentFile file)
        {
            this.name = prefix + name;
            this.file = file;
        }

        @Override
        public long length() throws IOException
        {
            return file.length();
        }

        @Override
        public void read(final long offset, final ByteBuffer target) throws IOException
        {
            final ByteBuffer bytes = target.slice();
            file.read(offset, target);
            steps.afterRead(name, offset, bytes);
        }

        @Override
        public void write(final long offset, final ByteBuffer source) throws IOException
        {
            if (steps.beforeWrite(name, offset, source.remaining()))
            {
                file.write(offset, source);
            }
        }

        @Override
        public ByteBuffer map() throws IOException
        {
            if (!isMapped)
            {
                steps.beforeMap(name);
                isMapped = true;
            }
            return file.map();
        }

        @Override
        public void release()
        {
            file.release();
        }

        @Override
        public void force(final long from, final long to) throws IOException
        {
            // The engine keeps its side of the contract of SegmentFile.force.
            if (!isForcing.compareAndSet(false, true))
            {
                throw new AssertionError("forced by two threads at a time: file=" + name);
            }
            try
            {
                if (steps.before(Step.FORCE, name))
                {
                    forceOnceOrTwice(from, to);
                }
            }
            finally
            {
                isForcing.set(false);
            }
        }

        private void forceOnceOrTwice(final long from, final long to) throws IOException
        {
            try
            {
                file.force(from, to);
            }
            catch (final IOException ex)
            {
                if (!steps.isForceRetried())
                {
                    throw ex;
                }
                file.force(from, to);
            }
        }

        @Override
        public void close()
        {
            file.close();
        }
    }
}
