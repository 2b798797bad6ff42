package io.journal.examples.bank.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SnapshotFilesTest
{
    @TempDir
    Path tempDir;
    private final AtomicReference<String> loaded = new AtomicReference<>();
    private final List<String> logged = new ArrayList<>();

    @Test
    void newestIsLoadedAndTwoAreKept() throws IOException
    {
        final SnapshotFiles snapshots = new SnapshotFiles(tempDir.resolve("snapshots"));
        assertEquals(0, load(snapshots));
        assertNull(loaded.get());
        save(snapshots, 9);
        assertEquals(0, snapshots.common());
        save(snapshots, 10);
        save(snapshots, 200);

        assertEquals(200, load(new SnapshotFiles(tempDir.resolve("snapshots"))));
        assertEquals("state 200", loaded.get());
        assertEquals(10, snapshots.common());
        try (Stream<Path> files = Files.list(tempDir.resolve("snapshots")))
        {
            assertEquals(2, files.count());
        }
    }

    @Test
    void newestIsLoadedWhateverTheDigitsOfTheLocaleAre() throws IOException
    {
        final SnapshotFiles snapshots = new SnapshotFiles(tempDir);
        final Locale before = Locale.getDefault();
        try
        {
            Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
            save(snapshots, 9);
        }
        finally
        {
            Locale.setDefault(before);
        }
        save(snapshots, 10);

        assertEquals(10, load(snapshots));
    }

    @Test
    void snapshotThatCannotBeWrittenLeavesTheOneBefore() throws IOException
    {
        final SnapshotFiles snapshots = new SnapshotFiles(tempDir);
        save(snapshots, 3);

        assertThrows(RuntimeException.class, () -> snapshots.save(4, (output) ->
        {
            output.write(1);
            throw new IOException("on purpose");
        }));

        assertEquals(3, load(snapshots));
        assertEquals("state 3", loaded.get());
        save(snapshots, 5);
        assertEquals(5, load(snapshots));
    }

    @Test
    void oneBeforeIsLoadedIfAnyByteOfTheNewestIsDamaged() throws IOException
    {
        final SnapshotFiles snapshots = new SnapshotFiles(tempDir);
        save(snapshots, 3);
        save(snapshots, 4);
        final Path newest = tempDir.resolve(String.format("snapshot-%019d", 4));
        final byte[] whole = Files.readAllBytes(newest);
        final Logger logger = Logger.getLogger(SnapshotFiles.class.getName());
        logger.setFilter((record) -> !logged.add(record.getMessage()));
        for (int i = 0; i < whole.length; i++)
        {
            final byte[] flipped = whole.clone();
            flipped[i] ^= 1;
            for (final byte[] damaged : List.of(flipped, Arrays.copyOf(whole, i)))
            {
                Files.write(newest, damaged);

                assertEquals(3, load(snapshots), "offset=" + i);
                assertEquals("state 3", loaded.get());
                // Nothing may be pruned that only the damaged one contains.
                assertEquals(0, snapshots.common());
                assertArrayEquals(damaged, Files.readAllBytes(tempDir.resolve("damaged-" + newest.getFileName())));
            }
        }
        logger.setFilter(null);
        assertEquals(Collections.nCopies(2 * whole.length, logged.get(0)), logged);
        assertTrue(logged.get(0).contains("file=" + newest), logged.get(0));

        save(snapshots, 5);
        assertEquals(5, load(snapshots));
        assertEquals(3, snapshots.common());
    }

    private static void save(final SnapshotFiles snapshots, final long sequence)
    {
        snapshots.save(sequence, (output) -> output.write(("state " + sequence).getBytes(UTF_8)));
    }

    private long load(final SnapshotFiles snapshots)
    {
        return snapshots.load((input) -> loaded.set(new String(input.readAllBytes(), UTF_8)));
    }
}
