// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.util.List;

import io.journal.verify.Finding.Place;
import io.journal.verify.Finding.Severity;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SameDamageTest
{
    private static final String SEGMENT = "00000000000000000000.journal";

    @Test
    void damageIsTheSameAtTheSamePlaceWhateverAWriterHasAppended()
    {
        final Verdict before = verdict(finding(Severity.DAMAGE, 5000, "durable, up to position 9000"));
        final Verdict after = verdict(
            finding(Severity.DAMAGE, 5000, "durable, up to position 9800"), finding(Severity.TAIL, 9800, "40 bytes"));

        assertTrue(after.isOfSameDamage(before));
    }

    @Test
    void damageIsAnotherAtAnotherPlaceOrOfAnotherSeverity()
    {
        final Verdict before = verdict(finding(Severity.DAMAGE, 5000, "damaged"));

        assertFalse(verdict(finding(Severity.DAMAGE, 5008, "damaged")).isOfSameDamage(before));
        assertFalse(verdict(finding(Severity.UNREADABLE, 5000, "damaged")).isOfSameDamage(before));
        assertFalse(verdict().isOfSameDamage(before));
    }

    /** Each opening during a verification makes the control file look like an older copy, in another way. */
    @Test
    void damageOfAFileWithoutRecordsIsTheSameIfTheSameIsFound()
    {
        final Verdict before = verdict(control("a later term at position 5000"));

        assertTrue(verdict(control("a later term at position 5000")).isOfSameDamage(before));
        assertFalse(verdict(control("a later term at position 6000")).isOfSameDamage(before));
    }

    private static Finding control(final String found)
    {
        return new Finding(Severity.DAMAGE, Place.of("journal.control"), 1, "no later term", found, "an older copy");
    }

    private static Finding finding(final Severity severity, final long offset, final String meaning)
    {
        return new Finding(severity, new Place(SEGMENT, offset, offset, 7), 1, "a valid frame", "another", meaning);
    }

    private static Verdict verdict(final Finding... findings)
    {
        return new Verdict(List.of(findings), 1, 0, 1, 6, 6, 4096, 5000, 9000, 0, false);
    }
}
