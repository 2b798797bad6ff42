package io.journal.tools;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.store.Backend;

/**
 * Opening journals for writing as this command does it: never mapped, and without a thread beside.
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
            .companionThread(false);
    }
}
