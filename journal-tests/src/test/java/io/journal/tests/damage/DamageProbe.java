// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.journal.verify.Verdict;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecoveryReport;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture.Entry;
import io.journal.tests.support.SampleJournal;
import io.journal.tests.support.StepStore;
import io.journal.verify.JournalVerifier;
import io.journal.verify.SegmentCheck;
import org.agrona.CloseHelper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Checks damaged states one by one: with the verifier, by opening and reading, and with a follower. */
final class DamageProbe implements AutoCloseable
{
    private final DamageMatrix matrix;
    private final JournalDirectory directory;
    private final int fullStride;
    private final Random random = new Random(1);
    private final Map<DamagePlace, long[]> counts = new TreeMap<>();
    private final JournalDirectory standingDirectory;
    private Journal standing;
    private long scannedOrdinal;
    private Map<Long, SegmentCheck> intactChecks = Map.of();
    private String damagedName;
    private byte[] damagedBytes;
    private long number;
    private boolean isDirty = true;
    // The working thread; null before and after.
    private volatile Thread thread;
    private volatile String place = "nothing yet";
    private volatile long beginNs = System.nanoTime();

    /** How damage was detected, or why it did not matter. */
    enum Outcome
    {
        TOLD_BY_OPEN,
        TOLD_BY_READER,
        /** Reported by the recovery report. */
        CUT,
        /** Records above the durable watermark are gone. In a recycled segment nothing shows that they existed. */
        LOST,
        HARMLESS
    }

    /**
     * @param fullStride how often all is done that a state can be put through: of an older segment, opening anew, which
     *                   does not read it; of any file, reading from outside.
     */
    DamageProbe(final DamageMatrix matrix, final JournalDirectory directory, final int fullStride)
    {
        this.matrix = matrix;
        this.directory = directory;
        this.fullStride = fullStride;
        standingDirectory = new JournalDirectory(directory.path.resolveSibling(directory.path.getFileName() + "-open"));
    }

    /** Checks the undamaged files, and opens them once for the states in which an older segment is damaged. */
    void begin()
    {
        beginNs = System.nanoTime();
        thread = Thread.currentThread();
        directory.restore(matrix.files);
        isDirty = false;
        final Map<Long, SegmentCheck> checks = new TreeMap<>();
        final JournalVerifier verifier = JournalVerifier.open(directory.path);
        verifier.ordinals().forEach((ordinal) -> checks.put(ordinal, check(verifier, ordinal)));
        intactChecks = checks;
        standingDirectory.restore(matrix.files);
        standing = open(standingDirectory);
        scannedOrdinal = standing.recoveryReport().scanStartPosition() / JournalDirectory.SEGMENT_LENGTH;
    }

    @Override
    public void close()
    {
        thread = null;
        CloseHelper.close(standing);
    }

    void addTo(final Map<DamagePlace, long[]> sums)
    {
        counts.forEach((key, count) ->
        {
            final long[] sum = sums.computeIfAbsent(key, (ignore) -> new long[count.length]);
            Arrays.setAll(sum, (i) -> sum[i] + count[i]);
        });
    }

    /** Called by another thread. */
    void checkAlive(final long hangNs)
    {
        final Thread worker = thread;
        if (null != worker && System.nanoTime() - beginNs > hangNs)
        {
            final AssertionError error = new AssertionError("hangs: " + place);
            error.setStackTrace(worker.getStackTrace());
            throw error;
        }
    }

    /**
     * Checks one damaged state.
     *
     * @param value the bit that is flipped, or the length that the file gets.
     */
    void look(final String name, final DamageMatrix.Change change, final long value)
    {
        place = matrix.sample + " on " + matrix.backend + (matrix.isMarkThere ? "" : " without a watermark") + ": " +
            change + " " + name + " " + value;
        beginNs = System.nanoTime();
        try
        {
            damage(name, change, value);
            // A changed length counts as damage to the header of the file.
            final DamagePlace at =
                matrix.places.get(name)[DamageMatrix.Change.FLIP == change ? (int)(value / Byte.SIZE) : 0];
            final Outcome outcome = look(at, DamageMatrix.Change.LENGTH == change);
            final long[] count = counts.computeIfAbsent(at, (ignore) -> new long[1 + Outcome.values().length]);
            count[0]++;
            count[1 + outcome.ordinal()]++;
            if (!isDirty)
            {
                put(directory, name, damagedBytes, matrix.files.get(name));
            }
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(place + ": " + ex, ex);
        }
    }

    private void damage(final String name, final DamageMatrix.Change change, final long value)
    {
        if (isDirty)
        {
            directory.restore(matrix.files);
            isDirty = false;
        }
        final byte[] intact = matrix.files.get(name);
        damagedName = name;
        if (DamageMatrix.Change.FLIP == change)
        {
            damagedBytes = intact.clone();
            damagedBytes[(int)(value / Byte.SIZE)] ^= (byte)(1 << value % Byte.SIZE);
        }
        else
        {
            damagedBytes = Arrays.copyOf(intact, (int)value);
        }
        put(directory, name, intact, damagedBytes);
    }

    /** Changes a file, by a single byte if its length stays the same. */
    private static void put(
        final JournalDirectory directory, final String name, final byte[] before, final byte[] after)
    {
        final int offset = Arrays.mismatch(before, after);
        if (before.length == after.length)
        {
            directory.overwrite(name, offset, after[offset]);
        }
        else
        {
            directory.put(name, after);
        }
    }

    private Outcome look(final DamagePlace at, final boolean isLength)
    {
        final boolean isFull = 0 == number++ % fullStride;
        final boolean isFoundDamaged = isFoundDamaged();
        if (isFull)
        {
            follow(at);
        }
        final Outcome outcome = !isFull && isOlder() ? readStanding() : open(at, isFull);
        final boolean isThrown = Outcome.TOLD_BY_OPEN == outcome || Outcome.TOLD_BY_READER == outcome;
        assertEquals(isThrown, isFoundDamaged, () -> "the verifier sees it otherwise: " + outcome);
        assertTrue(isThrown || !at.isAlwaysReported(), "not reported");
        assertTrue(!isThrown || at.isAlwaysReported(), "reported without cause");
        assertTrue(Outcome.HARMLESS != outcome || DamagePlace.UNATTESTED_FRAME != at, "not cut");
        assertTrue(Outcome.HARMLESS == outcome || isThrown || at.isCut() || isLength, "cut without need");
        return outcome;
    }

    /** Whether the damaged file is a segment that opening does not read. */
    private boolean isOlder()
    {
        return damagedName.endsWith(".journal") && Long.parseLong(damagedName.substring(0, 20)) < scannedOrdinal;
    }

    private boolean isFoundDamaged()
    {
        try
        {
            final JournalVerifier verifier = JournalVerifier.open(directory.path);
            final List<SegmentCheck> checks = new ArrayList<>();
            for (final long ordinal : verifier.ordinals())
            {
                // With other damage, how much of a segment is checked depends on the state, so it is checked again.
                final boolean isKnown = intactChecks.containsKey(ordinal) &&
                    !JournalDirectory.CONTROL.equals(damagedName) &&
                    !JournalDirectory.segmentName(ordinal).equals(damagedName);
                checks.add(isKnown ? intactChecks.get(ordinal) : check(verifier, ordinal));
            }
            final Verdict verdict = verifier.conclude(checks);
            return !verdict.areRecordsWhole();
        }
        catch (final JournalException ignore)
        {
            return true;
        }
    }

    private static SegmentCheck check(final JournalVerifier verifier, final long ordinal)
    {
        return verifier.check(ordinal, (read) ->
        {
        });
    }

    /** Reads a journal that was opened before the damage, because opening would not read the damaged segment. */
    private Outcome readStanding()
    {
        final byte[] intact = matrix.files.get(damagedName);
        put(standingDirectory, damagedName, intact, damagedBytes);
        try
        {
            return read(standing);
        }
        finally
        {
            put(standingDirectory, damagedName, damagedBytes, intact);
        }
    }

    private Journal open(final JournalDirectory directory)
    {
        return Internals.randoms(
            Journal.builder(directory.path)
                .store(StepStore.unforced(matrix.backend.store(directory.path)))
                .backgroundThread(false)
                .clock(() -> 1),
            random::nextLong).open();
    }

    private Outcome open(final DamagePlace at, final boolean isFull)
    {
        try (Journal journal = open(directory))
        {
            isDirty = true;
            final Outcome outcome = read(journal);
            checkReport(journal, outcome);
            checkCursor(journal, at);
            return outcome;
        }
        catch (final JournalException ex)
        {
            assertFalse(isDirty, () -> "opened, and then failed: " + ex);
            if (isFull)
            {
                assertUnchanged();
            }
            return Outcome.TOLD_BY_OPEN;
        }
    }

    private void assertUnchanged()
    {
        final Map<String, byte[]> expected = new TreeMap<>(matrix.files);
        expected.put(damagedName, damagedBytes);
        directory.assertHolds(expected);
    }

    private Outcome read(final Journal journal)
    {
        assertTrue(journal.lastSequence() >= matrix.attestedNext - 1, "records are gone that were acknowledged");
        final List<Entry> found = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            JournalFixture.readOn(reader, found);
            checkRecords(found, journal.firstSequence());
            assertEquals(journal.lastSequence(), journal.firstSequence() + found.size() - 1);
            return journal.recoveryReport().tornLength() > 0 ? Outcome.CUT :
                journal.lastSequence() < matrix.nextSequence - 1 ? Outcome.LOST : Outcome.HARMLESS;
        }
        catch (final JournalException ex)
        {
            checkRecords(found, journal.firstSequence());
            assertTrue(
                found.size() < matrix.attestedNext - matrix.firstSequence, () -> "should be reported when opening: " +
                    "" + ex);
            return Outcome.TOLD_BY_READER;
        }
    }

    private void checkRecords(final List<Entry> found, final long firstSequence)
    {
        assertEquals(matrix.firstSequence, firstSequence);
        for (int i = 0; i < found.size(); i++)
        {
            final Entry expected = matrix.sample.record(firstSequence + i);
            final Entry entry = found.get(i);
            assertTrue(
                entry.sequence() == expected.sequence() && entry.tag() == expected.tag() &&
                    Arrays.equals(entry.bytes(), expected.bytes()),
                () -> "wrong record: " + expected.sequence());
        }
    }

    private void checkReport(final Journal journal, final Outcome outcome)
    {
        final RecoveryReport report = journal.recoveryReport();
        assertTrue(
            Outcome.LOST != outcome || SampleJournal.RECYCLED == matrix.sample,
            () -> "unreported loss of records: " + report);
        assertTrue(
            matrix.isMarkThere || Outcome.HARMLESS == outcome || report.mayHaveLostAcknowledged(),
            () -> "what was acknowledged is not known: " + report);
    }

    private void checkCursor(final Journal journal, final DamagePlace at)
    {
        final boolean isThere = journal.cursorNames().contains(SampleJournal.CURSOR);
        final long sequence = isThere ? journal.cursor(SampleJournal.CURSOR).sequence() : 0;
        assertTrue(sequence <= matrix.savedSequence, () -> "a consumer would miss records: " + sequence);
        assertTrue(
            DamagePlace.STATE == at || sequence == matrix.savedSequence,
            () -> "the place of a consumer is another: " + sequence);
    }

    /** Reads as another process does, which changes nothing. */
    private void follow(final DamagePlace at)
    {
        boolean isThrown = false;
        final List<Entry> found = new ArrayList<>();
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory.path);
            JournalReader reader = journal.openReader())
        {
            JournalFixture.readOn(reader, found);
            isThrown = journal.lastSequence() < matrix.firstSequence;
        }
        catch (final JournalException ignore)
        {
            isThrown = true;
        }
        checkRecords(found, matrix.firstSequence);
        assertTrue(isThrown || !at.isAlwaysReported(), "not reported to a follower");
        assertTrue(isThrown || found.size() >= matrix.attestedNext - matrix.firstSequence,
            "a follower misses what was acknowledged, and is not reported");
        assertUnchanged();
    }
}
