// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.journal.bench.run.Unit;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.UnsupportedFileSystemException;

/**
 * A backend and a write window, in which records are buffered before they are written.
 */
public record BackendConfig(Backend backend, int writeWindow)
{
    private static final int SHORT_WINDOW = 64 * Unit.KIB;

    /**
     * All configurations in order of preference: the default first, and configurations without a write window before
     * those with a window, because buffered records are lost when the process ends.
     */
    public static List<BackendConfig> all(final int recordLength)
    {
        return Stream.of(0, SHORT_WINDOW, Unit.MIB)
            .flatMap((window) -> Arrays.stream(Backend.values()).map((backend) -> new BackendConfig(backend, window)))
            .filter((each) -> each.suits(recordLength))
            .toList();
    }

    private boolean suits(final int recordLength)
    {
        // A window must hold at least two records to buffer anything.
        final int gathered = 2 * recordLength;
        return switch (backend)
        {
            // Has no write window: its records are in the page cache at once.
            case MAPPED -> 0 == writeWindow;
            // Needs a window, if records fit into it, because otherwise each write waits for the device.
            case DIRECT -> (gathered <= SHORT_WINDOW ? SHORT_WINDOW : 0) == writeWindow;
            default -> 0 == writeWindow || gathered <= writeWindow;
        };
    }

    /** Whether the file system of a directory supports the backend. */
    public static boolean isUsable(final Backend backend, final Path directory)
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
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public String label()
    {
        return backend.name() + (0 == writeWindow ? "" : ' ' + Unit.bytes(writeWindow));
    }
}
