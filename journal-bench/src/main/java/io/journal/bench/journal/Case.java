package io.journal.bench.journal;

import java.util.ArrayList;
import java.util.List;

import io.journal.store.Backend;

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
     * before a window, since a record in a window is lost with the process.
     */
    public static List<Case> all(final int recordLength)
    {
        final List<Case> cases = new ArrayList<>();
        for (final Backend backend : Backend.values())
        {
            cases.add(new Case(backend, 0));
        }
        for (final int window : WINDOWS)
        {
            // A window in which hardly a record fits gathers nothing.
            if (2 * recordLength <= window)
            {
                for (final Backend backend : Backend.values())
                {
                    // A mapped journal has no window: its records are with the operating system at once.
                    if (Backend.MAPPED != backend)
                    {
                        cases.add(new Case(backend, window));
                    }
                }
            }
        }

        return cases;
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
