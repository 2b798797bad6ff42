// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Copies of files that their member changes meanwhile. */
class MemberFilesTest
{
    @TempDir
    private Path directory;
    private Path source;
    private Path target;

    @BeforeEach
    void create() throws IOException
    {
        source = directory.resolve("source");
        target = directory.resolve("target");
        Files.createDirectories(MemberFiles.cluster(source));
        Files.createDirectories(MemberFiles.archive(source));
        write("cluster/recording.log", "snapshot 1");
        write("cluster/node-state.dat", "state");
        write("archive/archive.catalog", "catalog");
        for (final String name : new String[]{ "0-0.rec", "0-1024.rec", "1-0.rec", "2-0.rec" })
        {
            write("archive/" + name, name);
        }
    }

    @Test
    void snapshotThatIsDeletedWhileItIsCopiedIsWhole() throws IOException
    {
        final AtomicInteger attempts = new AtomicInteger();
        copy(MemberFiles.Step.OPENED, () ->
        {
            // The copy may take longer than the time between two snapshots, each time: it must not begin again.
            attempts.incrementAndGet();
            write("cluster/recording.log", "snapshot 1, snapshot " + (1 + attempts.get()));
            delete("1-0.rec");
            delete("2-0.rec");
        });

        assertEquals(1, attempts.get());
        assertEquals("snapshot 1", Files.readString(target.resolve("cluster/recording.log")));
        for (final String name : new String[]{ "0-0.rec", "0-1024.rec", "1-0.rec", "2-0.rec" })
        {
            assertEquals(name, Files.readString(target.resolve("archive/" + name)));
        }
        // Bytes written during the copy may be there in parts.
        assertTrue(Files.exists(MemberFiles.copyMark(target)));
    }

    @Test
    void partOfTheLogThatIsDeletedBeforeItIsCopiedBeginsTheCopyAgain() throws IOException
    {
        final AtomicInteger attempts = new AtomicInteger();
        copy(MemberFiles.Step.OPENED, () ->
        {
            if (1 == attempts.incrementAndGet())
            {
                write("cluster/recording.log", "snapshot 2");
                delete("0-0.rec");
            }
        });

        assertEquals(2, attempts.get());
        assertEquals("snapshot 2", Files.readString(target.resolve("cluster/recording.log")));
        assertFalse(Files.exists(target.resolve("archive/0-0.rec")));
        assertTrue(Files.exists(target.resolve("archive/0-1024.rec")));
    }

    @Test
    void partOfTheLogThatIsDeletedBeforeItIsListedBeginsTheCopyAgain() throws IOException
    {
        final AtomicInteger attempts = new AtomicInteger();
        copy(MemberFiles.Step.REFERRED, () ->
        {
            if (1 == attempts.incrementAndGet())
            {
                write("archive/archive.catalog", "begins at 1024");
                delete("0-0.rec");
            }
        });

        assertEquals(2, attempts.get());
        assertEquals("begins at 1024", Files.readString(target.resolve("archive/archive.catalog")));
        assertFalse(Files.exists(target.resolve("archive/0-0.rec")));
    }

    private void copy(final MemberFiles.Step step, final Runnable task) throws IOException
    {
        MemberFiles.copy(source, target, (reached) ->
        {
            if (step == reached)
            {
                task.run();
            }
        });
    }

    private void write(final String name, final String text)
    {
        try
        {
            Files.writeString(source.resolve(name), text);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void delete(final String recording)
    {
        try
        {
            Files.delete(MemberFiles.archive(source).resolve(recording));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
