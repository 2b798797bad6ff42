// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.RecordModel;
import io.journal.verify.JournalRepair;
import io.journal.verify.JournalRepair.Rebuild;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Salvage;
import io.journal.verify.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.KIND_CRITICAL;
import static io.journal.tests.support.JournalDirectory.littleEndian;
import static io.journal.tests.support.JournalDirectory.sealed;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Damage in two places at once, and damage to segments that hold no record: nothing that can be read is lost, no
 * truncated record takes the place of a durable one, and a journal that is repaired opens.
 */
class SalvageAndRepairTest extends RecoveryFixture
{
    private static final Backend BACKEND = Backend.FILE_CHANNEL;
    private static final int IDENTITY_OFFSET = 40;
    private static final int VERSION_OFFSET = 8;
    private static final int ORDINAL_OFFSET = 48;
    private static final int TIME_OFFSET = 72;
    private static final long FILL_TAG = -1;

    private JournalDirectory salvaged;
    private int count;

    @Test
    void rebuiltHistoryBeginsAfterADamagedFirstFrame()
    {
        crashWithTwoMarks();
        final Frame second = crashed.marks(0).get(1);
        crashed.flip(segmentName(0), FIRST_OFFSET + 30, 0);
        crashed.delete(CONTROL);

        final List<Rebuild> rebuilds = rebuild();

        assertEquals(-1, rebuilds.get(0).lost());
        assertFalse(JournalVerifier.verify(crashed.path).isDamaged());
        try (Journal journal = open(crashed, BACKEND))
        {
            assertEquals(second.sequence(), journal.firstSequence());
            assertEquals(model.size(), journal.lastSequence());
            assertEquals(model.size() - second.sequence() + 1, readAll(journal).size());
        }
    }

    @Test
    void headerIsRebuiltWithTheSaltInItIfTheFirstFrameIsDamagedToo()
    {
        crashWithTwoMarks();
        crashed.zero(segmentName(0), BLOCK_LENGTH - 8, BLOCK_LENGTH + 8);

        assertEquals(List.of(), salvage().missing());
        assertSalvagedExcept(0);
        assertEquals(List.of(segmentName(0)), rebuild().stream().map(Rebuild::file).toList());
        assertEquals(FIRST_OFFSET, JournalVerifier.verify(crashed.path).findings().get(0).place().offset());
    }

    @Test
    void salvageWithoutControlFileFindsTheCutAfterDamage()
    {
        crashAfterTruncation();
        crashed.delete(CONTROL);
        final Map<String, byte[]> image = crashed.content();
        for (final int damaged : new int[]{ 1, 20, 30 })
        {
            crashed.restore(image);
            Damage.BODY.apply(crashed, crashed.frames(0).get(damaged));

            final Salvage.Result result = salvage();

            assertEquals(1, result.missing().size(), () -> "damaged=" + damaged);
            assertEquals(damaged, result.missing().get(0).first());
            assertEquals(damaged, result.missing().get(0).last());
            assertSalvagedExcept(damaged);
        }
    }

    @Test
    void salvageWithoutControlFileFindsTheCutAfterADamagedFirstFrame()
    {
        try (Journal journal = open(live, BACKEND))
        {
            model.appendInto(journal, 1, 3000);
            model.append(journal, 20, 100);
            final long kept = model.size() - 10;
            journal.truncateAfter(kept);
            model.forgetAfter(kept);
            model.append(journal, 5, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
        crashed.flip(segmentName(1), FIRST_OFFSET + 30, 0);
        crashed.delete(CONTROL);

        assertEquals(List.of(), salvage().missing());
        assertSalvagedExcept(0);
    }

    @Test
    void salvageWithoutControlFileReadsRecordsBeforeTheFirstValidWatermarkFrame()
    {
        crashWithTwoMarks();
        crashed.flip(segmentName(0), FIRST_OFFSET + 30, 0);
        crashed.delete(CONTROL);

        assertEquals(model.size(), salvage().records());
        assertSalvagedExcept(0);
    }

    @Test
    void salvageUsesTheStateOfAControlFileWithADamagedIdentity()
    {
        // No segment shows this cut.
        closeAfterACutToAMissingSegment();
        crashed.flip(CONTROL, IDENTITY_OFFSET, 3);

        assertEquals(List.of(), salvage().missing());
        assertSalvagedExcept(0);
    }

    @Test
    void salvageDoesNotUseAnOlderControlFile()
    {
        crashWithAnOlderControlFile();
        assertEquals(List.of(), salvage().missing());
        assertSalvagedExcept(0);

        crashed.flip(CONTROL, IDENTITY_OFFSET, 3);
        assertEquals(List.of(), salvage().missing());
        assertSalvagedExcept(0);
    }

    private void crashWithAnOlderControlFile()
    {
        final byte[] older;
        try (Journal journal = open(live, BACKEND))
        {
            model.append(journal, 50, 100);
            journal.force();
            older = live.read(CONTROL);
            journal.truncateAfter(30);
            model.forgetAfter(30);
            model.appendInto(journal, 2, 3000);
            journal.force();
            live.copyTo(crashed.path);
        }
        crashed.put(CONTROL, older);
    }

    @Test
    void salvageWithoutControlFileFindsTheCutInASegmentWithADamagedHeaderOrLength()
    {
        crashAfterTruncation();
        crashed.delete(CONTROL);
        final byte[] segment = crashed.read(segmentName(0));
        // Another segment identifies the journal.
        crashed.put(segmentName(1), emptySegment(segment, 1));

        crashed.flip(segmentName(0), TIME_OFFSET, 0);
        assertEquals(List.of(), salvage().missing());
        assertSalvagedExcept(0);

        for (final int length : new int[]{ segment.length - 512, segment.length + 512 })
        {
            crashed.put(segmentName(0), Arrays.copyOf(segment, length));
            salvage();
            assertSalvagedExcept(0);
        }
    }

    /** A segment without a frame, with the header of another one. */
    private static byte[] emptySegment(final byte[] segment, final long ordinal)
    {
        final byte[] header = Arrays.copyOf(segment, BLOCK_LENGTH);
        littleEndian(header).putLong(ORDINAL_OFFSET, ordinal);
        return Arrays.copyOf(sealed(header), segment.length);
    }

    @Test
    void rebuiltHistoryHasTwoTruncationsWithoutARecordBetween()
    {
        try (Journal journal = open(live, BACKEND))
        {
            // The first one begins in the middle of a segment that the second one deletes.
            final int length = SEGMENT_LENGTH / 4 - 1500;
            model.append(journal, 20, length);
            final long kept = live.records(0).size();
            journal.truncateAfter(3 * kept + 2);
            journal.truncateAfter(kept);
            model.forgetAfter(kept);
            model.append(journal, 20, length);
            journal.force();
            live.copyTo(crashed.path);
        }
        crashed.delete(CONTROL);

        assertEquals(List.of(CONTROL), rebuild().stream().map(Rebuild::file).toList());
        assertFalse(JournalVerifier.verify(crashed.path).isDamaged());
        try (Journal journal = open(crashed, BACKEND))
        {
            model.assertHolds(journal);
        }
    }

    @Test
    void headerWithADamagedVersionIsRebuilt()
    {
        crashWithTwoMarks();
        for (int bit = 0; bit < 2 * Byte.SIZE; bit++)
        {
            crashed.flip(segmentName(0), VERSION_OFFSET + bit / Byte.SIZE, bit % Byte.SIZE);

            assertEquals(List.of(), salvage().missing());
            assertSalvagedExcept(0);
            assertEquals(List.of(segmentName(0)), rebuild().stream().map(Rebuild::file).toList());
        }
        try (Journal journal = open(crashed, BACKEND))
        {
            model.assertHolds(journal);
        }
    }

    /** Trying all salts would take longer, and find none. */
    @Test
    @Timeout(10)
    void headerIsRebuiltWithTheSaltInItIfARecordIsDamagedToo()
    {
        crashWithTwoMarks();
        crashed.flip(segmentName(0), TIME_OFFSET, 0);
        Damage.BODY.apply(crashed, crashed.frames(0).get(1));

        assertEquals(List.of(segmentName(0)), rebuild().stream().map(Rebuild::file).toList());
        assertEquals(1, salvage().missing().size());
        assertSalvagedExcept(1);
    }

    @Test
    void salvageReportsRecordsMissingBeforeWhereTheJournalWasClosed()
    {
        closeCleanly(BACKEND);
        live.copyTo(crashed.path);
        final long kept = crashed.records(1).get(0).sequence() - 1;
        crashed.loseForced();
        crashed.ordinals().stream().filter((ordinal) -> ordinal > 0)
            .forEach((ordinal) -> crashed.delete(segmentName(ordinal)));

        final Salvage.Result result = salvage();

        assertEquals(kept, result.records());
        assertEquals(1, result.missing().size());
        assertEquals(kept + 1, result.missing().get(0).first());
        assertEquals(segmentName(1), result.missing().get(0).file());
    }

    @Test
    void salvageMissesNothingAfterTheLastCut()
    {
        closeAfterACutToAMissingSegment();

        assertEquals(List.of(), salvage().missing());
        assertSalvagedExcept(0);
    }

    @Test
    void salvageRefusesACriticalFrameOfANewerFormat()
    {
        crashWithUnforced(BACKEND, 5, 0);
        final int end = crashed.end();
        crashed.writeFrame(0, end, true, 6, KIND_CRITICAL | 4, new byte[40]);
        crashed.writeFrame(0, end + 64, false, 6, 0, new byte[10]);

        final JournalException ex = assertThrows(JournalException.class, this::salvage);
        assertTrue(ex.getMessage().contains("newer version"), ex::getMessage);
        assertFalse(Files.exists(salvaged.path));
    }

    @Test
    void missingPreparedSegmentIsReportedAndRepaired() throws Exception
    {
        crashWithPreparedSegment();
        final byte[] prepared = crashed.read(segmentName(1));
        final byte[] header = crashed.read(segmentName(1), 0, BLOCK_LENGTH);
        littleEndian(header).putLong(ORDINAL_OFFSET, 2);
        crashed.put(segmentName(2), prepared);
        crashed.overwrite(segmentName(2), 0, sealed(header));
        crashed.delete(segmentName(1));

        assertRepairKeepsEverything(1);
    }

    @Test
    void damagedHeaderOfAPreparedSegmentIsRepaired() throws Exception
    {
        crashWithPreparedSegment();
        crashed.flip(segmentName(1), 100, 0);

        assertRepairKeepsEverything(1);
    }

    @Test
    void lossOfTheSegmentInWhichACutEndsIsRepaired()
    {
        final long kept;
        try (Journal journal = open(live, BACKEND))
        {
            model.appendInto(journal, 1, 3000);
            kept = model.size() - 5;
            journal.truncateAfter(kept);
            model.forgetAfter(kept);
            model.append(journal, 5, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
        model.forgetAfter(kept);
        crashed.delete(segmentName(1));

        assertRepairKeepsEverything(1);
    }

    private void closeAfterACutToAMissingSegment()
    {
        try (Journal journal = open(live, BACKEND))
        {
            model.append(journal, 2, 100);
            model.appendUpTo(journal, 0);
            final long last = journal.lastSequence();
            model.append(journal, 2, 100);
            model.appendUpTo(journal, 16);
            journal.truncateAfter(last);
            model.forgetAfter(last);
        }
        live.copyTo(crashed.path);
    }

    private void crashWithTwoMarks()
    {
        try (Journal journal = open(live, BACKEND))
        {
            model.append(journal, 5, 100);
            model.forceAndMark(journal);
            model.append(journal, 20, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
    }

    private void crashAfterTruncation()
    {
        try (Journal journal = open(live, BACKEND))
        {
            model.append(journal, 50, 100);
            journal.truncateAfter(30);
            model.forgetAfter(30);
            model.append(journal, 15, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
    }

    private void crashWithPreparedSegment() throws Exception
    {
        try (Journal journal = open(live, BACKEND))
        {
            model.append(journal, 20, 100);
            journal.force();
            prepareNext(journal, live);
            live.copyTo(crashed.path);
        }
    }

    private List<Rebuild> rebuild()
    {
        try (JournalRepair repair = JournalRepair.open(crashed.path))
        {
            return repair.rebuild();
        }
    }

    private Salvage.Result salvage()
    {
        salvaged = directory("salvaged-" + ++count);
        return Salvage.copy(crashed.path, salvaged.path, 0, OptionalLong.of(FILL_TAG));
    }

    private void assertSalvagedExcept(final long missing)
    {
        try (Journal journal = open(salvaged, BACKEND))
        {
            final List<Entry> entries = readAll(journal);
            assertEquals(model.size(), entries.size());
            for (final Entry entry : entries)
            {
                if (entry.sequence() != missing)
                {
                    RecordModel.assertEntry(model.entry(entry.sequence()), entry);
                }
            }
        }
    }

    /** Asserts that damage to a segment that holds no record is found, and that a truncation repairs it. */
    private void assertRepairKeepsEverything(final long ordinal)
    {
        assertThrows(CorruptJournalException.class, () -> open(crashed, BACKEND).close());

        final Verdict verdict = JournalVerifier.verify(crashed.path);
        assertEquals(segmentName(ordinal), verdict.findings().get(0).place().file());
        assertTrue(verdict.isRepairableByTruncation(), verdict::toString);
        assertEquals(model.size(), verdict.lastSequence());
        try (JournalRepair repair = JournalRepair.open(crashed.path))
        {
            assertEquals(List.of(), repair.rebuild());
            repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1);
        }

        assertFalse(JournalVerifier.verify(crashed.path).isDamaged());
        try (Journal journal = open(crashed, BACKEND))
        {
            model.assertHolds(journal);
        }
    }
}
