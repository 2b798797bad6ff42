package io.journal.tests.support;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Counts what is opened and read through a store. What is read from a mapping is not seen.
 */
public final class CountingStore implements SegmentStore
{
    public final AtomicLong opens = new AtomicLong();
    final AtomicLong reads = new AtomicLong();
    public final AtomicLong bytesRead = new AtomicLong();
    private final SegmentStore delegate;

    public CountingStore(final SegmentStore delegate)
    {
        this.delegate = delegate;
    }

    public void reset()
    {
        opens.set(0);
        reads.set(0);
        bytesRead.set(0);
    }

    @Override
    public void makeDirectory() throws IOException
    {
        delegate.makeDirectory();
    }

    @Override
    public List<String> list() throws IOException
    {
        return delegate.list();
    }

    @Override
    public SegmentFile create(final String name, final long length) throws IOException
    {
        return new File(delegate.create(name, length));
    }

    @Override
    public SegmentFile open(final String name, final Access access) throws IOException
    {
        opens.incrementAndGet();
        return new File(delegate.open(name, access));
    }

    @Override
    public void rename(final String from, final String to) throws IOException
    {
        delegate.rename(from, to);
    }

    @Override
    public void delete(final String name) throws IOException
    {
        delegate.delete(name);
    }

    @Override
    public void force() throws IOException
    {
        delegate.force();
    }

    @Override
    public SegmentStore child(final String name) throws IOException
    {
        return delegate.child(name);
    }

    @Override
    public Memory memory()
    {
        return delegate.memory();
    }

    private final class File implements SegmentFile
    {
        private final SegmentFile file;

        File(final SegmentFile file)
        {
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
            reads.incrementAndGet();
            bytesRead.addAndGet(target.remaining());
            file.read(offset, target);
        }

        @Override
        public void write(final long offset, final ByteBuffer source) throws IOException
        {
            file.write(offset, source);
        }

        @Override
        public ByteBuffer map() throws IOException
        {
            return file.map();
        }

        @Override
        public void release()
        {
            file.release();
        }

        @Override
        public void warm() throws IOException
        {
            file.warm();
        }

        @Override
        public void force(final long from, final long to) throws IOException
        {
            file.force(from, to);
        }

        @Override
        public void close()
        {
            file.close();
        }
    }
}
