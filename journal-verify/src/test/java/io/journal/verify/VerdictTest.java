// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.util.List;

import io.journal.verify.Finding.Place;
import io.journal.verify.Finding.Severity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class VerdictTest
{
    private static final String SEGMENT = "00000000000000000000.journal";
    private static final long END = 8192;
    private static final Finding DAMAGED_RECORD = finding(Severity.DAMAGE, SEGMENT, END);
    private static final Finding STRAY_FILE = finding(Severity.DAMAGE, "copy.journal", Place.UNKNOWN);

    @Test
    void damageAtAPositionIsRepairableByTruncation()
    {
        assertTrue(isRepairable(DAMAGED_RECORD));
        assertTrue(isRepairable(DAMAGED_RECORD, finding(Severity.TAIL, SEGMENT, 2 * END)));
        // A cursor ahead of the end.
        assertTrue(isRepairable(finding(Severity.DAMAGE, "journal.control", END)));
    }

    @ParameterizedTest
    @EnumSource(names = { "UNREADABLE", "NEWER_FORMAT" })
    void whileASegmentMayBeIntactNothingIsRepairableByTruncation(final Severity severity)
    {
        final Finding unknown = finding(severity, SEGMENT, 2 * END);

        assertFalse(isRepairable(unknown));
        assertFalse(isRepairable(DAMAGED_RECORD, unknown));
    }

    @Test
    void snapshotIsNoReasonAgainstATruncation()
    {
        assertTrue(isRepairable(DAMAGED_RECORD, finding(Severity.NEWER_FORMAT, "snapshots/a", Place.UNKNOWN)));
        assertTrue(isRepairable(DAMAGED_RECORD, finding(Severity.UNREADABLE, "snapshots/a", Place.UNKNOWN)));
    }

    @Test
    void strayFileIsNeitherAReasonForATruncationNorAgainstOne()
    {
        assertFalse(isRepairable(STRAY_FILE));
        assertTrue(isRepairable(DAMAGED_RECORD, STRAY_FILE));
    }

    @Test
    void damageWithoutAPositionIsNotRepairableByTruncation()
    {
        final Finding olderCopy = finding(Severity.DAMAGE, "journal.control", Place.UNKNOWN);

        assertFalse(isRepairable(olderCopy));
        assertFalse(isRepairable(DAMAGED_RECORD, olderCopy));
    }

    @Test
    void intactJournalIsNotRepairableByTruncation()
    {
        assertFalse(isRepairable());
        assertFalse(isRepairable(
            finding(Severity.NOTE, "journal.control", Place.UNKNOWN), finding(Severity.TAIL, SEGMENT, END),
            finding(Severity.UNUSABLE, "snapshots/a", Place.UNKNOWN)));
    }

    @Test
    void journalOfWhichNothingWouldBeLeftIsNotRepairableByTruncation()
    {
        final List<Finding> findings = List.of(finding(Severity.DAMAGE, SEGMENT, 0));

        assertFalse(new Verdict(findings, 1, 0, 1, 0, 0, 4096, 0, 0, 0, false).isRepairableByTruncation());
        assertFalse(new Verdict(findings, 0, 0, 1, 0, 0, 4096, 0, 0, 0, false).isRepairableByTruncation());
        assertFalse(new Verdict(findings, 1, 9, 1, 0, 10, 4096, 4096, END, 0, false).isRepairableByTruncation());
    }

    private static boolean isRepairable(final Finding... findings)
    {
        return new Verdict(List.of(findings), 1, 10, 1, 10, 10, 4096, END, END, 0, false).isRepairableByTruncation();
    }

    private static Finding finding(final Severity severity, final String file, final long position)
    {
        return new Finding(severity, new Place(file, 0, position, Place.UNKNOWN), Place.UNKNOWN, "", "", "");
    }
}
