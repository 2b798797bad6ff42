// SPDX-License-Identifier: Apache-2.0
package io.journal.module;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;

/** Writes, rolls, forces, prunes and reads a journal of each backend, and prints the module that the journal is in. */
final class ModuleUser
{
    private static final int RECORDS = 1000;

    private ModuleUser()
    {
    }

    /**
     * @param args a directory that exists.
     */
    public static void main(final String[] args) throws IOException
    {
        for (final Backend backend : Backend.values())
        {
            try
            {
                backend.store(Path.of(args[0])).checkFileSystem();
            }
            catch (final SegmentStore.UnsupportedFileSystemException ex)
            {
                continue;
            }

            try (Journal journal = Journal.builder(Path.of(args[0]).resolve(backend.name()))
                .backend(backend).segmentLength(64 * 1024).open())
            {
                final JournalAppender appender = journal.appender();
                for (int i = 0; i < RECORDS; i++)
                {
                    appender.append(ByteBuffer.allocate(200));
                }
                journal.force();
                try (JournalReader reader = journal.openReader())
                {
                    int count = 0;
                    while (reader.poll((buffer, offset, length, header) -> buffer.getLong(offset), RECORDS) > 0)
                    {
                        count++;
                    }
                    if (0 == count || reader.nextSequence() <= RECORDS)
                    {
                        throw new AssertionError(backend + ": nextSequence=" + reader.nextSequence());
                    }
                }
                journal.prune(RECORDS);
            }
        }
        System.out.println(Journal.class.getModule().getName());
    }
}
