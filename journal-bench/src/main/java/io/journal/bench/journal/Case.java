package io.journal.bench.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.store.Backend;
import io.journal.store.SegmentStore.UnsupportedFileSystemException;

/**
 * A way to write a journal that can be chosen: a backend, and a window in which records may gather before they are
 * written.
 */
public record Case(Backend backend, int writeWindow)
{
    private static final int[] WINDOWS = { 64 * 1024, 1024 * 1024 };
    private static final int KIB = 1024;
    private static final int MIB = 1024 * 1024;

    /**
     * Everything there is to choose from, in the order of preference among equals: the default first, and no window
     * before a window, since a record in a window is lost with the process. Direct I/O needs a window, if records fit
     * one: each write waits for the device.
     */
    public static List<Case> all(final int recordLength)
    {
        final List<Case> cases = new ArrayList<>();
        for (final Backend backend : Backend.values())
        {
            if (Backend.DIRECT != backend || !isGathering(WINDOWS[0], recordLength))
            {
                cases.add(new Case(backend, 0));
            }
        }
        for (final int window : WINDOWS)
        {
            if (isGathering(window, recordLength))
            {
                for (final Backend backend : Backend.values())
                {
                    // A mapped journal has no window: its records are with the operating system at once.
                    if (Backend.MAPPED != backend && (Backend.DIRECT != backend || WINDOWS[0] == window))
                    {
                        cases.add(new Case(backend, window));
                    }
                }
            }
        }

        return cases;
    }

    /** A window in which hardly a record fits gathers nothing. */
    private static boolean isGathering(final int window, final int recordLength)
    {
        return 2 * recordLength <= window;
    }

    /** Whether the file system of a directory supports the backend. */
    public static boolean isUsable(final Backend backend, final Path directory) throws IOException
    {
        try
        {
            backend.store(directory).checkFileSystem();
            return true;
        }
        catch (final UnsupportedFileSystemException ex)
        {
            return false;
        }
    }

    public String label()
    {
        if (0 == writeWindow)
        {
            return backend.name();
        }

        return backend.name() + ' ' + (writeWindow < MIB ? writeWindow / KIB + " KiB" : writeWindow / MIB + " MiB");
    }
}
