// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.follow;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.crash.KilledWriter;
import io.journal.tests.crash.Promises;
import io.journal.tests.faults.FaultedWriter;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A file of a journal in use is truncated, removed or replaced. Its users get the documented exceptions, or read the
 * records that were appended. When the journal is reopened, acknowledged records are there, or opening or reading
 * reports their loss.
 */
@Tag("slow")
class ReplacedFileTest extends JournalFixture
{
    private static final int SEGMENTS = 3;
    private static final int MORE = 150;

    /** The file to change. */
    private enum Target
    {
        NEWEST, OLDEST, PREPARED, CONTROL;

        Path in(final Path directory) throws IOException
        {
            switch (this)
            {
                case CONTROL:
                    return directory.resolve(JournalFiles.CONTROL);

                case OLDEST:
                    return directory.resolve(segmentName(0));

                default:
                    // The newest segment is a prepared one most of the time: it comes after the segment in use.
                    final long newest = new JournalDirectory(directory).newest();
                    return directory.resolve(segmentName(PREPARED == this ? newest : newest - 1));
            }
        }

        boolean isSegment()
        {
            return this == NEWEST || this == OLDEST || this == PREPARED;
        }
    }

    /** How the file is changed. */
    private enum Harm
    {
        EMPTIED((file, other) -> cut(file, 0)),
        CUT((file, other) -> cut(file, Files.size(file) / 3)),
        REMOVED((file, other) -> Files.delete(file)),
        REPLACED((file, other) ->
        {
            final Path copy = Files.copy(other, file.resolveSibling("other"));
            Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE);
        });

        @FunctionalInterface
        private interface Action
        {
            void doTo(Path file, Path other) throws IOException;
        }

        final Action action;

        Harm(final Action action)
        {
            this.action = action;
        }

        private static void cut(final Path file, final long length) throws IOException
        {
            try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE))
            {
                channel.truncate(length);
            }
        }
    }

    @EachBackend
    void replacedSegmentIsReported(final Backend backend) throws Exception
    {
        harm(backend, Target.NEWEST, Harm.REPLACED);
    }

    @Tag("soak")
    @EachBackend(and = { Target.class, Harm.class })
    void tamperedFileIsDetectedOrHarmless(final Backend backend, final Target target, final Harm harm) throws Exception
    {
        harm(backend, target, harm);
    }

    private void harm(final Backend backend, final Target target, final Harm harm) throws Exception
    {
        final Path directory = temp.resolve("journal");
        final Path other = temp.resolve("other");
        makeOther(other, backend);
        try (ChildJvm child = new ChildJvm(
            temp, List.of(), FaultedWriter.class, directory, backend, 1 + harm.ordinal() % 2, Integer.MAX_VALUE,
            temp.resolve("copies")))
        {
            while (!Files.exists(directory.resolve(segmentName(SEGMENTS))))
            {
                assertTrue(child.awaitBeyond("forced", child.highest("forced")), child::toString);
            }
            final long before = child.highest("forced");
            harm.action.doTo(target.in(directory), target.in(other));
            child.send("prune");
            if (child.awaitBeyond("forced", before + MORE))
            {
                child.send("stop");
            }

            final int exit = child.awaitEnd();
            // An append into the missing part of a mapped file ends the JVM; in a small race, so does a reader.
            final boolean mayDie = Backend.MAPPED == backend && target.isSegment() &&
                (Harm.EMPTIED == harm || Harm.CUT == harm);
            assertTrue(0 == exit || mayDie && child.hasCrashed(), () -> "exit=" + exit + ", " + child);
            verify(directory, child);
        }
    }

    private static void makeOther(final Path directory, final Backend backend)
    {
        try (Journal journal = KilledWriter.builder(directory, backend).backgroundThread(false).open())
        {
            for (int i = 0; i < 1000; i++)
            {
                journal.appender().append(2, KilledWriter.record(2, i + 1, 500));
            }
            journal.cursor(FaultedWriter.CURSOR).save(journal.lastSequence());
        }
    }

    private static void verify(final Path directory, final ChildJvm child)
    {
        try (Journal journal = KilledWriter.builder(directory, Backend.FILE_CHANNEL).backgroundThread(false).open())
        {
            final Map<Long, Long> records = Promises.readAll(journal);
            assertTrue(records.values().stream().allMatch((era) -> 1 == era), "records of another journal");
            assertTrue(journal.lastSequence() >= child.highest("forced"), () -> journal + ", " + child);
        }
        catch (final CorruptJournalException ignore)
        {
            // The loss is reported.
        }
    }
}
