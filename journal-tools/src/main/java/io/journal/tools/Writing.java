package io.journal.tools;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.store.Backend;

/**
 * How commands open a journal for writing: never memory-mapped, and without a background thread.
 */
final class Writing
{
    private static final int WINDOW_LENGTH = 1024 * 1024;

    private Writing()
    {
    }

    static JournalBuilder builder(final Path path)
    {
        return Journal.builder(path)
            .backend(Backend.FILE_CHANNEL)
            .writeWindow(WINDOW_LENGTH)
            .backgroundThread(false);
    }
}
