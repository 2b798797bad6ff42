package io.journal.bench.journal;

import java.time.Duration;

import io.journal.ForcePolicy;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class ForcingTest
{
    @Test
    void policiesHaveNames()
    {
        assertEquals(ForcePolicy.manual().toString(), Forcing.policy("manual").toString());
        assertEquals(ForcePolicy.everyRecord().toString(), Forcing.policy("everyRecord").toString());
        assertEquals(ForcePolicy.every(Duration.ofMillis(25)).toString(), Forcing.policy("every25ms").toString());
        assertEquals(Forcing.PERIODIC, Forcing.of("every0ms"));
    }

    @Test
    void unknownNamesAreRejected()
    {
        assertThrows(IllegalArgumentException.class, () -> Forcing.of("sometimes"));
        assertThrows(IllegalArgumentException.class, () -> Forcing.of("every-1ms"));
    }
}
