package io.journal.bench.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.store.Backend;
import io.journal.store.SegmentStore.UnsupportedFileSystemException;

/**
 * A backend and a write window, in which records are buffered before they are written.
 */
public record BackendConfig(Backend backend, int writeWindow)
{
    private static final int[] WINDOWS = { 64 * 1024, 1024 * 1024 };
    private static final int KIB = 1024;
    private static final int MIB = 1024 * 1024;

    /**
     * All configurations in order of preference: the default first, and those without a write window before those with
     * one, since buffered records are lost when the process ends. Direct I/O needs a window, if records fit one: each
     * write waits for the device.
     */
    public static List<BackendConfig> all(final int recordLength)
    {
        final List<BackendConfig> cases = new ArrayList<>();
        for (final Backend backend : Backend.values())
        {
            if (Backend.DIRECT != backend || !isGathering(WINDOWS[0], recordLength))
            {
                cases.add(new BackendConfig(backend, 0));
            }
        }
        for (final int window : WINDOWS)
        {
            if (isGathering(window, recordLength))
            {
                for (final Backend backend : Backend.values())
                {
                    // A mapped journal has no write window: its records are in the page cache at once.
                    if (Backend.MAPPED != backend && (Backend.DIRECT != backend || WINDOWS[0] == window))
                    {
                        cases.add(new BackendConfig(backend, window));
                    }
                }
            }
        }

        return cases;
    }

    /** A window must hold at least two records to buffer anything. */
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
