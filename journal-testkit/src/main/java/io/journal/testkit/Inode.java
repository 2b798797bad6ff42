// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A file, independent of its names: its pages in the page cache, and the contents the device may hold.
 * <p>
 * From the time a page is changed until it is fsynced, the device may hold its previous content or any content since,
 * each sector independently. A failed fsync marks the changed pages clean: the next fsync skips them.
 */
final class Inode
{
    // Limit of the contents kept for a page. Without it, a page that is written often and never fsynced would collect a
    // content for every write.
    private static final int MAX_OPTIONS = 12;

    private int length;
    private int[] lengths;
    private Page[] cache;
    private Page[][] options;
    private boolean[] isDirty;
    private int changes;

    // If not null, this memory is the content of the page cache, and the pages are its last observed state.
    private ByteBuffer mapped;
    private int mappings;

    // The last image; null if something has changed since.
    private InodeImage image;

    /**
     * A new file, filled with zeros.
     */
    Inode(final int length)
    {
        this.length = length;
        final int half = length / 2 / Page.LENGTH * Page.LENGTH;
        lengths = 0 == length ? null : 0 == half ? new int[]{ 0, length } : new int[]{ 0, half, length };
        cache = new Page[Page.count(length)];
        Arrays.fill(cache, Page.ZERO);
        options = new Page[cache.length][];
        isDirty = new boolean[cache.length];
    }

    Inode(final InodeImage image)
    {
        length = image.length;
        lengths = image.lengths;
        cache = image.cache.clone();
        options = image.options.clone();
        isDirty = image.isDirty.clone();
        this.image = image;
    }

    int length()
    {
        return length;
    }

    boolean isMapped()
    {
        return null != mapped;
    }

    InodeImage image()
    {
        if (null == image)
        {
            image = new InodeImage(length, lengths, cache.clone(), options.clone(), isDirty.clone());
        }

        return image;
    }

    void read(final long offset, final ByteBuffer target, final String name) throws IOException
    {
        checkRange(offset, target.remaining(), name);
        int at = (int)offset;
        while (target.hasRemaining())
        {
            final int inPage = at % Page.LENGTH;
            final int count = Math.min(target.remaining(), Page.LENGTH - inPage);
            final ByteBuffer source = null == mapped ? cache[at / Page.LENGTH].buffer() : mapped.duplicate();
            final int start = null == mapped ? inPage : at;
            target.put(source.limit(start + count).position(start));
            at += count;
        }
    }

    /**
     * Writes bytes, and extends the file if they go beyond its end.
     */
    void write(final long offset, final ByteBuffer source, final String name) throws IOException
    {
        if (offset + source.remaining() > length)
        {
            extend(offset, offset + source.remaining(), name);
        }
        checkRange(offset, source.remaining(), name);
        int at = (int)offset;
        while (source.hasRemaining())
        {
            final int page = at / Page.LENGTH;
            final int inPage = at % Page.LENGTH;
            final int count = Math.min(source.remaining(), Page.LENGTH - inPage);
            final byte[] bytes = cache[page].copy();
            source.get(bytes, inPage, count);
            if (null != mapped)
            {
                mapped.put(at, bytes, inPage, count);
            }
            change(page, new Page(bytes));
            at += count;
        }
    }

    ByteBuffer map()
    {
        if (0 == mappings++)
        {
            mapped = Memory.take(length);
            for (int page = 0; page < cache.length; page++)
            {
                final int start = page * Page.LENGTH;
                mapped.put(start, cache[page].buffer(), 0, Math.min(Page.LENGTH, length - start));
            }
        }

        return mapped;
    }

    void unmap()
    {
        if (0 == --mappings)
        {
            observe();
            Memory.give(mapped);
            mapped = null;
        }
    }

    /**
     * Observes mapped memory: its present content may reach the device from now on.
     */
    void observe()
    {
        if (null != mapped)
        {
            for (int page = 0; page < cache.length; page++)
            {
                final int start = page * Page.LENGTH;
                final int count = Math.min(Page.LENGTH, length - start);
                final ByteBuffer present = mapped.slice(start, count);
                if (-1 != present.mismatch(cache[page].buffer().limit(count)))
                {
                    final byte[] bytes = new byte[Page.LENGTH];
                    present.get(bytes, 0, count);
                    change(page, new Page(bytes));
                }
            }
        }
    }

    /**
     * Fsyncs the pages of a range.
     *
     * @param isDone whether the fsync succeeds. After a failure the changed pages are clean, and the device may still
     *               hold any of their contents.
     */
    void force(final long from, final long to, final boolean isDone, final String name) throws IOException
    {
        if (to > length)
        {
            throw new IOException("file is shorter: file=" + name + ", expected=" + to + ", found=" + length);
        }

        image = null;
        for (int page = (int)(from / Page.LENGTH); page < Page.count(to); page++)
        {
            if (isDirty[page])
            {
                isDirty[page] = false;
                if (isDone)
                {
                    options[page] = null;
                }
            }
        }
        if (isDone)
        {
            lengths = null;
        }
    }

    /**
     * Flips one bit, in the page cache and on the device.
     */
    void flip(final long offset, final int bit)
    {
        image = null;
        final int page = (int)(offset / Page.LENGTH);
        final int inPage = (int)(offset % Page.LENGTH);
        final Page[] former = options[page];
        cache[page] = flipped(cache[page], inPage, bit);
        if (null != former)
        {
            options[page] = new Page[former.length];
            Arrays.setAll(options[page], (i) -> flipped(former[i], inPage, bit));
        }
        if (null != mapped)
        {
            mapped.put((int)offset, (byte)(mapped.get((int)offset) ^ 1 << bit));
        }
    }

    private static Page flipped(final Page page, final int offset, final int bit)
    {
        final byte[] bytes = page.copy();
        bytes[offset] ^= (byte)(1 << bit);
        return new Page(bytes);
    }

    /**
     * Extends the file. Until the next fsync, the file on the device may have any of its lengths, and zeros in the
     * added range.
     */
    private void extend(final long offset, final long end, final String name) throws IOException
    {
        if (offset > length || null != mapped)
        {
            throw new IOException(
                "write would leave a hole, or extend a mapped file: file=" + name + ", offset=" + offset +
                    ", length=" + length);
        }

        image = null;
        final int former = cache.length;
        lengths = null == lengths ? new int[]{ length } : lengths;
        // At the limit, drop a length in the middle, because the oldest and the newest matter most.
        final int kept = Math.min(lengths.length, MAX_OPTIONS - 1);
        lengths = Arrays.copyOf(lengths, kept + 1);
        length = Math.toIntExact(end);
        lengths[kept] = length;
        cache = Arrays.copyOf(cache, Page.count(length));
        Arrays.fill(cache, former, cache.length, Page.ZERO);
        options = Arrays.copyOf(options, cache.length);
        isDirty = Arrays.copyOf(isDirty, cache.length);
    }

    private void change(final int page, final Page content)
    {
        image = null;
        final Page[] former = options[page];
        final Page[] next;
        if (null == former)
        {
            next = new Page[]{ cache[page], content };
        }
        else
        {
            // At the limit, drop a content in the middle, at a place that changes each time, because the oldest and the
            // newest matter most.
            final int dropped = former.length < MAX_OPTIONS ? former.length : 1 + changes % (MAX_OPTIONS - 2);
            next = new Page[Math.min(former.length, MAX_OPTIONS - 1) + 1];
            for (int i = 0, j = 0; i < former.length; i++)
            {
                if (i != dropped)
                {
                    next[j++] = former[i];
                }
            }
            next[next.length - 1] = content;
        }
        options[page] = next;
        cache[page] = content;
        isDirty[page] = true;
        changes++;
    }

    private void checkRange(final long offset, final int count, final String name) throws IOException
    {
        if (offset < 0 || offset + count > length)
        {
            throw new EOFException(
                "outside the file: file=" + name + ", offset=" + offset + ", count=" + count + ", length=" + length);
        }
    }
}
