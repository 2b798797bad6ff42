package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.MarkFile;
import io.journal.internal.platform.FileType;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The directory in which a repair keeps what it removes or changes. Nothing in it is overwritten. Fences a writer that
 * lost its lock before the journal is changed.
 */
final class Quarantine
{
    private static final int COPY_LENGTH = 1024 * 1024;
    private static final int MAX_NAMESAKES = 10_000;

    private final Path path;
    private final SegmentStore store;
    private final List<String> names = new ArrayList<>();
    private boolean isFenced;

    Quarantine(final Path path, final SegmentStore store)
    {
        this.path = path;
        this.store = store;
    }

    /**
     * Names of the files that were moved or copied since the last call, within the journal's directory.
     */
    List<String> takeNames()
    {
        final List<String> taken = List.copyOf(names);
        names.clear();
        return taken;
    }

    /**
     * Comes before each change of the journal, and after what may still fail without one.
     */
    void fence() throws IOException
    {
        if (!isFenced)
        {
            MarkFile.fence(store, true);
            isFenced = true;
        }
    }

    /**
     * Copies a part of a file, durably. Of a copy that fails nothing is left.
     */
    void copy(final String name, final long from, final long to, final String copyName) throws IOException
    {
        final SegmentStore quarantine = store.child(JournalFiles.QUARANTINE);
        final String unused = unused(copyName);
        boolean isCopied = false;
        try (SegmentFile source = store.open(name, SegmentStore.Access.READ);
            SegmentFile target = quarantine.create(unused, to - from))
        {
            final ByteBuffer buffer = ByteBuffer.allocate((int)Math.min(COPY_LENGTH, to - from));
            for (long done = 0; done < to - from; done += buffer.capacity())
            {
                buffer.clear().limit((int)Math.min(buffer.capacity(), to - from - done));
                source.read(from + done, buffer);
                target.write(done, buffer.flip());
            }
            target.force(0, to - from);
            isCopied = true;
        }
        finally
        {
            if (!isCopied)
            {
                quarantine.delete(unused);
            }
        }
        quarantine.force();
        store.force();
        names.add(JournalFiles.QUARANTINE + "/" + unused);
    }

    /**
     * Moves a file, durably.
     */
    void move(final String name) throws IOException
    {
        fence();
        final SegmentStore quarantine = store.child(JournalFiles.QUARANTINE);
        final String target = unused(name);
        // The target directory must be durable before the name here is gone.
        store.force();
        Files.move(
            path.resolve(name), path.resolve(JournalFiles.QUARANTINE).resolve(target), StandardCopyOption.ATOMIC_MOVE);
        // The new name is fsynced first: after a loss of power there may be two names, never none.
        quarantine.force();
        store.force();
        names.add(JournalFiles.QUARANTINE + "/" + target);
    }

    private String unused(final String name) throws IOException
    {
        final Path directory = path.resolve(JournalFiles.QUARANTINE);
        String target = name;
        for (int i = 1; FileType.ABSENT != FileType.of(directory.resolve(target), LinkOption.NOFOLLOW_LINKS); i++)
        {
            if (i > MAX_NAMESAKES)
            {
                throw new IOException("too many files of this name in quarantine: file=" + name);
            }
            target = name + "." + i;
        }

        return target;
    }
}
