package io.journal.bench.journal;

import java.time.Duration;

import io.journal.ForcePolicy;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalUnderTestTest
{
    @Test
    void policiesHaveNames()
    {
        assertEquals(ForcePolicy.manual(), JournalUnderTest.policy("manual"));
        assertEquals(ForcePolicy.everyRecord(), JournalUnderTest.policy("everyRecord"));
        assertEquals(
            ForcePolicy.every(Duration.ofMillis(25)).toString(), JournalUnderTest.policy("every25ms").toString());
        assertTrue(JournalUnderTest.policy("every0ms").isPeriodic());
    }

    @Test
    void unknownNamesAreRejected()
    {
        assertThrows(IllegalArgumentException.class, () -> JournalUnderTest.policy("sometimes"));
        assertThrows(IllegalArgumentException.class, () -> JournalUnderTest.policy("every-1ms"));
    }
}
