// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import io.journal.JournalReader;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class VerifiedSegmentsTest
{
    @Test
    void prunedSegmentsAreForgotten()
    {
        final VerifiedSegments once = new VerifiedSegments(JournalReader.Verification.ONCE);
        once.passed(3, 0, 1);
        once.passed(4, 0, 1);
        assertFalse(once.isNeeded(3, 1));

        once.passed(5, 4, 1);

        assertTrue(once.isNeeded(3, 1));
        assertFalse(once.isNeeded(4, 1));
        assertFalse(once.isNeeded(5, 1));
        // By a reader that does not know of the prune yet.
        once.passed(6, 3, 1);
        assertFalse(once.isNeeded(4, 1));
        assertFalse(once.isNeeded(6, 1));
        assertTrue(once.isNeeded(6, 2));
    }
}
