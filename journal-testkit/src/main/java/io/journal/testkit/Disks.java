// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;

/**
 * All states in which a power loss may leave a directory on disk. A state is an array with one number for each choice:
 * whether a name change is there, the length of a file, the content of a unit. The number 0 picks the oldest
 * alternative, the highest number the newest.
 */
final class Disks
{
    // A sample picks the newest alternative with one of these probabilities, in percent.
    private static final int[] CHANCES = { 10, 50, 50, 90, 97 };

    private final Tearing tearing;
    private final FolderDisks root;
    private final List<Integer> counts = new ArrayList<>();

    Disks(final FolderImage image, final Tearing tearing)
    {
        this.tearing = tearing;
        root = new FolderDisks(image);
    }

    /**
     * Number of disk states, or {@link Long#MAX_VALUE} if there are more.
     */
    long count()
    {
        long count = 1;
        for (final int options : counts)
        {
            if (count > Long.MAX_VALUE / options)
            {
                return Long.MAX_VALUE;
            }
            count *= options;
        }

        return count;
    }

    FolderImage build(final int[] picks)
    {
        return root.build(picks);
    }

    int[] random(final Random random)
    {
        final int chance = CHANCES[random.nextInt(CHANCES.length)];
        final int[] picks = new int[counts.size()];
        for (int i = 0; i < picks.length; i++)
        {
            final int newest = counts.get(i) - 1;
            picks[i] = random.nextInt(100) < chance ? newest : random.nextBoolean() ? 0 : random.nextInt(newest + 1);
        }

        return picks;
    }

    Iterator<int[]> picks(final int limit, final Random random)
    {
        final long count = count();
        return count <= limit ? new Every((int)count) : new Samples(limit, random);
    }

    private int add(final int options)
    {
        counts.add(options);
        return counts.size() - 1;
    }

    /** Enumerates all combinations of picks. */
    private final class Every implements Iterator<int[]>
    {
        private final int count;
        private int next;

        Every(final int count)
        {
            this.count = count;
        }

        @Override
        public boolean hasNext()
        {
            return next < count;
        }

        @Override
        public int[] next()
        {
            if (!hasNext())
            {
                throw new NoSuchElementException();
            }

            final int[] picks = new int[counts.size()];
            int rest = next++;
            for (int i = 0; i < picks.length; i++)
            {
                picks[i] = rest % counts.get(i);
                rest /= counts.get(i);
            }

            return picks;
        }
    }

    /** The two extremes, states that differ from an extreme in one pick, and random states. */
    private final class Samples implements Iterator<int[]>
    {
        private final int count;
        private final Random random;
        private int next;

        Samples(final int count, final Random random)
        {
            this.count = count;
            this.random = random;
        }

        @Override
        public boolean hasNext()
        {
            return next < count;
        }

        @Override
        public int[] next()
        {
            if (!hasNext())
            {
                throw new NoSuchElementException();
            }

            final int index = next++;
            if (index >= 2 && index >= count / 2)
            {
                return random(random);
            }

            final int[] picks = new int[counts.size()];
            final boolean isNewest = 1 == (index & 1);
            for (int i = 0; isNewest && i < picks.length; i++)
            {
                picks[i] = counts.get(i) - 1;
            }
            if (index >= 2)
            {
                final int other = random.nextInt(picks.length);
                picks[other] = counts.get(other) - 1 - picks[other];
            }

            return picks;
        }
    }

    /** The choices of a directory. */
    private final class FolderDisks
    {
        private final FolderImage image;
        private final int firstChange;
        private final int firstChildChange;
        private final Map<InodeImage, InodeDisks> inodes = new IdentityHashMap<>();
        private final Map<FolderImage, FolderDisks> children = new IdentityHashMap<>();

        FolderDisks(final FolderImage image)
        {
            this.image = image;
            firstChange = counts.size();
            image.files.pending.forEach((change) -> add(2));
            firstChildChange = counts.size();
            image.children.pending.forEach((change) -> add(2));
            image.files.durable.values().forEach(this::addInode);
            image.files.pending.forEach((change) -> addInode(change.file()));
            image.children.durable.values().forEach(this::addChild);
            image.children.pending.forEach((change) -> addChild(change.file()));
        }

        private void addChild(final FolderImage child)
        {
            children.computeIfAbsent(child, FolderDisks::new);
        }

        private void addInode(final InodeImage inode)
        {
            inodes.computeIfAbsent(inode, InodeDisks::new);
        }

        FolderImage build(final int[] picks)
        {
            final Names<InodeImage> files = pick(image.files, firstChange, picks);
            final Names<FolderImage> folders = pick(image.children, firstChildChange, picks);
            return new FolderImage(
                files.map((inode) -> inodes.get(inode).build(picks)),
                folders.map((child) -> children.get(child).build(picks)));
        }

        private static <T> Names<T> pick(final Names<T> names, final int firstChange, final int[] picks)
        {
            final Map<String, T> picked = new HashMap<>(names.durable);
            for (int i = 0; i < names.pending.size(); i++)
            {
                if (1 == picks[firstChange + i])
                {
                    names.pending.get(i).apply(picked);
                }
            }

            return Names.settled(picked);
        }
    }

    /** The choices of a file. */
    private final class InodeDisks
    {
        private final InodeImage image;
        private final int lengthChoice;
        private final List<PieceDisks> pieces = new ArrayList<>();

        InodeDisks(final InodeImage image)
        {
            this.image = image;
            lengthChoice = null == image.lengths ? -1 : add(image.lengths.length);
            for (int page = 0; page < image.options.length; page++)
            {
                if (null != image.options[page])
                {
                    addPieces(page, image.options[page]);
                }
            }
        }

        private void addPieces(final int page, final Page[] options)
        {
            for (int offset = 0; offset < Page.LENGTH; offset += tearing.length())
            {
                // Returns the distinct contents, from the oldest to the newest.
                final List<Page> distinct = new ArrayList<>();
                for (int i = options.length - 1; i >= 0; i--)
                {
                    if (isNew(options[i], distinct, offset))
                    {
                        distinct.add(0, options[i]);
                    }
                }
                pieces.add(new PieceDisks(page, offset, distinct, 1 == distinct.size() ? -1 : add(distinct.size())));
            }
        }

        private boolean isNew(final Page page, final List<Page> known, final int offset)
        {
            return known.stream().noneMatch((other) -> page.isSame(other, offset, tearing.length()));
        }

        InodeImage build(final int[] picks)
        {
            if (image.isSettled())
            {
                return image;
            }

            final int length = lengthChoice < 0 ? image.length : image.lengths[picks[lengthChoice]];
            final Page[] pages = Arrays.copyOf(image.cache, Page.count(length));
            byte[] mixed = null;
            for (int i = 0; i < pieces.size(); i++)
            {
                final PieceDisks piece = pieces.get(i);
                if (piece.page < pages.length)
                {
                    mixed = 0 == piece.offset ? new byte[Page.LENGTH] : mixed;
                    final Page source = piece.options.get(piece.choice < 0 ? 0 : picks[piece.choice]);
                    source.get(piece.offset, mixed, piece.offset, tearing.length());
                    if (piece.offset + tearing.length() == Page.LENGTH)
                    {
                        pages[piece.page] = new Page(mixed);
                    }
                }
            }

            return InodeImage.settled(length, pages);
        }
    }

    private record PieceDisks(int page, int offset, List<Page> options, int choice)
    {
    }
}
