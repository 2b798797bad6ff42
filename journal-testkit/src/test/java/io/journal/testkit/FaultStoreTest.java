// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.store.SegmentStore;
import io.journal.testkit.StoreStep.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class FaultStoreTest
{
    private static final int LENGTH = 3 * 4096;
    private static final long SEED = 1;

    private final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);

    @Test
    void forcedBytesAreOnEveryDisk() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            write(file, 10, "hello");
            file.force(10, 15);

            assertEquals(1, store.crashPoint().diskCount(Tearing.SECTORS));
            assertEquals("hello", text(store.crashPoint().disk(Tearing.SECTORS, SEED), "a", 10, 5));
        }
    }

    @ParameterizedTest
    @EnumSource(Tearing.class)
    void eachUnforcedSectorIsPresentOrNot(final Tearing tearing) throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            final int length = tearing.length();
            write(file, 0, "x".repeat(3 * length));

            final Set<String> found = new TreeSet<>();
            for (final FaultStore disk : store.crashPoint().disks(tearing, 100, SEED))
            {
                found.add(text(disk, "a", 0, 1) + text(disk, "a", length, 1) + text(disk, "a", 2 * length, 1));
            }

            assertEquals(8, store.crashPoint().diskCount(tearing));
            assertEquals(Set.of("...", "..x", ".x.", ".xx", "x..", "x.x", "xx.", "xxx"), found);
        }
    }

    @Test
    void intermediateContentMayBeThereToo() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            write(file, 0, "1");
            write(file, 0, "2");

            final Set<String> found = new TreeSet<>();
            for (final FaultStore disk : store.crashPoint().disks(Tearing.PAGES, 100, SEED))
            {
                found.add(text(disk, "a", 0, 1));
            }

            assertEquals(Set.of(".", "1", "2"), found);
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void pagesOfMappedFilesReachTheDeviceInAnyOrder(final Backend backend) throws IOException
    {
        final FaultStore store = new FaultStore(backend);
        try (SegmentFile file = forcedFile(store, "a"))
        {
            file.map().put(0, (byte)'1');
            file.map().put(4096, (byte)'2');

            final Set<String> found = new TreeSet<>();
            for (final FaultStore disk : store.crashPoint().disks(Tearing.PAGES, 100, SEED))
            {
                found.add(text(disk, "a", 0, 1) + text(disk, "a", 4096, 1));
            }
            assertEquals(Set.of("..", "1.", ".2", "12"), found);

            file.force(0, 4097);
            assertEquals(1, store.crashPoint().diskCount(Tearing.PAGES));
        }
    }

    @Test
    void mappedMemoryAndWritesAreCoherent() throws IOException
    {
        try (SegmentFile file = forcedFile("a"); SegmentFile other = store.open("a", SegmentStore.Access.READ))
        {
            final ByteBuffer memory = other.map();
            write(file, 5000, "written");
            assertEquals('w', memory.get(5000));

            file.map().put(5000, (byte)'W');
            assertEquals('W', memory.get(5000));
            assertEquals("Written", text(store, "a", 5000, 7));
            assertTrue(memory.isReadOnly());
        }
        assertEquals("Written", text(store, "a", 5000, 7));
    }

    @Test
    void pagesDroppedByAFailedFsyncStayDropped() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            write(file, 0, "lost");
            store.faults(FaultPlan.nth(Kind.FORCE, 1, Fault.error()));
            assertThrows(IOException.class, () -> file.force(0, LENGTH));

            file.force(0, LENGTH);
            assertEquals(2, store.crashPoint().diskCount(Tearing.PAGES));
            assertEquals("lost", text(store.crashPoint().killed(), "a", 0, 4));

            write(file, 0, "lost");
            file.force(0, LENGTH);
            assertEquals(1, store.crashPoint().diskCount(Tearing.PAGES));
        }
    }

    @Test
    void killedProcessLeavesWhatWasWrittenAndWhatWasToBeForced() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            write(file, 0, "written");
            final FaultStore killed = store.crashPoint().killed();
            write(file, 0, "changed");

            assertEquals("written", text(killed, "a", 0, 7));
            assertEquals(2, killed.crashPoint().diskCount(Tearing.PAGES));
            try (SegmentFile same = killed.open("a", SegmentStore.Access.WRITE))
            {
                same.force(0, LENGTH);
            }
            assertEquals(1, killed.crashPoint().diskCount(Tearing.PAGES));
        }
    }

    @Test
    void namesThatWereNotForcedAreThereOrNot() throws IOException
    {
        forcedFile("old").close();
        forcedFile("gone").close();
        forcedFile("new").close();
        store.force();
        store.rename("old", "renamed");
        store.delete("gone");

        final Set<Set<String>> found = new HashSet<>();
        for (final FaultStore disk : store.crashPoint().disks(Tearing.PAGES, 100, SEED))
        {
            found.add(new TreeSet<>(disk.list()));
        }

        assertEquals(
            Set.of(
                Set.of("old", "gone", "new"), Set.of("renamed", "gone", "new"), Set.of("old", "new"),
                Set.of("renamed", "new")),
            found);
        store.force();
        assertEquals(1, store.crashPoint().diskCount(Tearing.PAGES));
    }

    @Test
    void fileThatWasNeverForcedMayHaveLostItsLength() throws IOException
    {
        store.create("a", LENGTH).close();
        store.force();

        final Set<Long> found = new TreeSet<>();
        for (final FaultStore disk : store.crashPoint().disks(Tearing.PAGES, 100, SEED))
        {
            try (SegmentFile file = disk.open("a", SegmentStore.Access.READ))
            {
                found.add(file.length());
            }
        }

        assertEquals(Set.of(0L, 4096L, (long)LENGTH), found);
    }

    @Test
    void fileThatWasExtendedMayHaveAnyOfItsLengthsUntilItIsForced() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            write(file, LENGTH - 1, "xy");
            write(file, LENGTH + 1, "z");

            final Set<String> found = new TreeSet<>();
            for (final FaultStore disk : store.crashPoint().disks(Tearing.PAGES, 100, SEED))
            {
                try (SegmentFile extended = disk.open("a", SegmentStore.Access.READ))
                {
                    found.add(text(disk, "a", LENGTH - 1, (int)extended.length() - LENGTH + 1));
                }
            }
            assertEquals(Set.of(".", "x", "..", "x.", ".y", "xy", "...", "x..", ".y.", "xy.", ".yz", "xyz"), found);

            file.force(0, LENGTH + 2);
            assertEquals(1, store.crashPoint().diskCount(Tearing.SECTORS));
            assertEquals("xyz", text(store.crashPoint().disk(Tearing.SECTORS, SEED), "a", LENGTH - 1, 3));

            store.capacity(LENGTH + 3);
            write(file, LENGTH + 2, "x");
            assertThrows(NoSpaceException.class, () -> write(file, LENGTH + 3, "x"));
            file.map();
            assertThrows(IOException.class, () -> write(file, LENGTH + 3, "x"));
        }
    }

    @Test
    void samplesBeginWithNothingAndEverythingAndDependOnTheSeed() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            write(file, 0, "x".repeat(LENGTH));
            final CrashPoint point = store.crashPoint();
            final long before = point.disks(Tearing.SECTORS, 2, SEED).iterator().next().fingerprint();

            assertEquals(1L << LENGTH / 512, point.diskCount(Tearing.SECTORS));
            assertEquals(forcedFingerprint(), before);
            assertEquals(fingerprints(point, SEED), fingerprints(point, SEED));
            assertFalse(fingerprints(point, SEED).equals(fingerprints(point, SEED + 1)));
            assertTrue(fingerprints(point, SEED).contains(store.fingerprint()));
        }
    }

    @Test
    void writeFailsAfterAPart() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            store.faults(FaultPlan.nth(Kind.WRITE, 2, Fault.errorAfter(3)));
            write(file, 0, "first");
            assertThrows(IOException.class, () -> write(file, 0, "SECOND"));

            assertEquals("SECst", text(store, "a", 0, 5));
            write(file, 0, "third");
            assertEquals("third", text(store, "a", 0, 5));
        }
    }

    @Test
    void deviceIsFullUntilFilesGo() throws IOException
    {
        forcedFile("a").close();
        store.capacity(2 * LENGTH - 1);
        assertThrows(NoSpaceException.class, () -> store.create("b", LENGTH));
        assertEquals(List.of("a"), store.list());

        store.delete("a");
        store.create("b", LENGTH).close();
        assertEquals(LENGTH, store.usedBytes());

        store.faults(FaultPlan.nth(Kind.WRITE, 1, Fault.noSpaceAfter(0)));
        try (SegmentFile file = store.open("b", SegmentStore.Access.WRITE))
        {
            assertThrows(NoSpaceException.class, () -> write(file, 0, "x"));
        }
    }

    @Test
    void lyingStorageDropsFsyncs() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            store.faults(FaultPlan.always(Kind.WRITE, Fault.ignored()));
            write(file, 0, "x");
            assertEquals(".", text(store, "a", 0, 1));

            store.faults(FaultPlan.always(Kind.FORCE, Fault.ignored()));
            write(file, 0, "x");
            file.force(0, LENGTH);
            assertEquals(2, store.crashPoint().diskCount(Tearing.PAGES));

            store.faults(FaultPlan.always(Kind.DELETE, Fault.ignored()));
            store.delete("a");
            assertEquals(List.of("a"), store.list());
        }
    }

    @Test
    void anyCallCanFail() throws IOException
    {
        for (final Kind kind : Kind.values())
        {
            final FaultStore failing = new FaultStore(Backend.MAPPED);
            forcedFile(failing, "a").close();
            failing.faults(FaultPlan.always(kind, Fault.error()));
            assertThrows(IOException.class, () -> callEverything(failing), kind::toString);
        }
        forcedFile("a").close();
        callEverything(store);
    }

    @Test
    void stepsDescribeTheCall() throws IOException
    {
        final Set<String> steps = new TreeSet<>();
        store.faults((step) ->
        {
            steps.add(
                step.kind() + " " + step.name() + " " + step.to() + " " + step.offset() + " " + step.length() + " " +
                    StandardCharsets.US_ASCII.decode(step.bytes()));
            return Fault.none();
        });
        final SegmentStore child = store.child("below");
        try (SegmentFile file = child.create("a", LENGTH))
        {
            write(file, 7, "bytes");
            file.force(7, 12);
        }
        child.rename("a", "b");

        assertEquals(
            Set.of(
                "MAKE_DIRECTORY below  0 0 ", "CREATE below/a  0 12288 ", "WRITE below/a  7 5 bytes",
                "FORCE below/a  7 5 ", "RENAME below/a below/b 0 0 "),
            steps);
    }

    @Test
    void flippedBitIsOnTheDeviceToo() throws IOException
    {
        try (SegmentFile file = store.child("below").create("a", LENGTH))
        {
            write(file, 0, "a");
            file.force(0, LENGTH);
            store.child("below").force();
            store.force();
            store.flip("below/a", 0, 1);

            assertEquals("c", text(store.crashPoint().disk(Tearing.SECTORS, SEED).child("below"), "a", 0, 1));
            assertThrows(IOException.class, () -> store.flip("below/a", LENGTH, 0));
            assertThrows(NoSuchFileException.class, () -> store.flip("b", 0, 0));
        }
    }

    @Test
    void namesAndRangesAreChecked() throws IOException
    {
        try (SegmentFile file = forcedFile("a"))
        {
            forcedFile("b").close();
            assertThrows(FileAlreadyExistsException.class, () -> store.create("a", LENGTH));
            assertThrows(FileAlreadyExistsException.class, () -> store.rename("a", "b"));
            assertThrows(NoSuchFileException.class, () -> store.rename("c", "d"));
            assertThrows(NoSuchFileException.class, () -> store.open("c", SegmentStore.Access.READ));
            assertThrows(EOFException.class, () -> file.read(LENGTH - 1, ByteBuffer.allocate(2)));
            assertThrows(IOException.class, () -> write(file, LENGTH + 1, "x"));
            assertThrows(IOException.class, () -> file.force(0, LENGTH + 1));
            store.delete("c");
        }
    }

    private static void callEverything(final FaultStore store) throws IOException
    {
        store.makeDirectory();
        store.child("child");
        store.create("b", LENGTH).close();
        store.rename("b", "c");
        store.delete("c");
        store.force();
        try (SegmentFile file = store.open("a", SegmentStore.Access.WRITE))
        {
            write(file, 0, "x");
            file.force(0, 1);
            text(store, "a", 0, 1);
        }
    }

    private long forcedFingerprint() throws IOException
    {
        final FaultStore other = new FaultStore(Backend.MAPPED);
        forcedFile(other, "a").close();
        return other.fingerprint();
    }

    private static Set<Long> fingerprints(final CrashPoint point, final long seed)
    {
        final Set<Long> fingerprints = new TreeSet<>();
        point.disks(Tearing.SECTORS, 20, seed).forEach((disk) -> fingerprints.add(disk.fingerprint()));
        return fingerprints;
    }

    private SegmentFile forcedFile(final String name) throws IOException
    {
        return forcedFile(store, name);
    }

    private static SegmentFile forcedFile(final FaultStore store, final String name) throws IOException
    {
        final SegmentFile file = store.create(name, LENGTH);
        file.force(0, LENGTH);
        store.force();
        return file;
    }

    private static void write(final SegmentFile file, final long offset, final String text) throws IOException
    {
        file.write(offset, StandardCharsets.US_ASCII.encode(text));
    }

    /** Returns a range of a file as text, with dots in place of zeros. */
    private static String text(final SegmentStore store, final String name, final long offset, final int length)
        throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(length);
        try (SegmentFile file = store.open(name, SegmentStore.Access.READ))
        {
            file.read(offset, buffer);
        }

        return StandardCharsets.US_ASCII.decode(buffer.flip()).toString().replace('\0', '.');
    }
}
