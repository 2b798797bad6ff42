package io.journal.examples.bank.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

import io.journal.examples.bank.codec.StoredEvent;
import io.journal.examples.bank.domain.Event;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class LedgerTest
{
    private static final UUID FIRST = new UUID(1, 1);
    private static final UUID SECOND = new UUID(2, 2);
    private static final UUID THIRD = new UUID(3, 3);

    @TempDir
    Path tempDir;

    @Test
    void eventsAndSequenceAreThereAfterACommit()
    {
        try (Ledger ledger = open())
        {
            ledger.apply(1, new StoredEvent(FIRST, new Event.AccountOpened(1, "Ada", 5)));
            ledger.apply(2, new StoredEvent(SECOND, new Event.Deposited(1, 70)));
            ledger.apply(3, new StoredEvent(THIRD, new Event.Withdrawn(1, 20)));
            assertEquals(0, ledger.sequence());
            ledger.commit();
            assertEquals(3, ledger.sequence());
        }

        try (Ledger ledger = open())
        {
            assertEquals(3, ledger.sequence());
            assertEquals(
                new Ledger.Audit(3, 2, List.of(new UUID(4, 4)), List.of()),
                ledger.audit(List.of(FIRST, THIRD, new UUID(4, 4))));
            assertEquals(new Ledger.Totals(3, 3, 0, 50), ledger.totals());
        }
    }

    @Test
    void crashBeforeTheCommitLeavesNeitherEventNorSequence() throws Exception
    {
        final Path copy = tempDir.resolve("copy.db");
        try (Ledger ledger = open())
        {
            ledger.apply(1, new StoredEvent(FIRST, new Event.AccountOpened(1, "Ada", 5)));
            ledger.commit();
            ledger.apply(2, new StoredEvent(SECOND, new Event.Deposited(1, 70)));
            for (final String suffix : new String[]{ "", "-wal" })
            {
                Files.copy(tempDir.resolve("ledger.db" + suffix), tempDir.resolve("copy.db" + suffix));
            }
        }

        try (Ledger ledger = Ledger.open(copy))
        {
            assertEquals(1, ledger.sequence());
            assertEquals(List.of(SECOND), ledger.audit(List.of(FIRST, SECOND)).missing());
        }
    }

    @Test
    void sameEventIsNotAddedTwice()
    {
        try (Ledger ledger = open())
        {
            ledger.apply(1, new StoredEvent(FIRST, new Event.AccountOpened(1, "Ada", 5)));
            ledger.commit();
            ledger.apply(1, new StoredEvent(FIRST, new Event.AccountOpened(1, "Ada", 5)));

            assertThrows(IllegalStateException.class, ledger::commit);
        }
    }

    @Test
    void commandWithTwoEventsIsFound()
    {
        try (Ledger ledger = open())
        {
            ledger.apply(1, new StoredEvent(FIRST, new Event.AccountOpened(1, "Ada", 5)));
            ledger.apply(2, new StoredEvent(SECOND, new Event.Deposited(1, 70)));
            ledger.apply(3, new StoredEvent(SECOND, new Event.Deposited(1, 70)));
            ledger.commit();

            assertEquals(new Ledger.Audit(3, 1, List.of(), List.of(SECOND)),
                ledger.audit(List.of(FIRST, SECOND)));
            assertEquals(new Ledger.Totals(3, 3, 1, 140), ledger.totals());
        }
    }

    @Test
    void waitingForALedgerThatHasStoppedEndsAtOnce() throws Exception
    {
        try (Ledger ledger = open())
        {
            ledger.apply(1, new StoredEvent(FIRST, new Event.AccountOpened(1, "Ada", 5)));
            ledger.commit();
            ledger.awaitSequence(1, Duration.ZERO);
            assertThrows(TimeoutException.class, () -> ledger.awaitSequence(2, Duration.ofMillis(1)));

            ledger.stop(new IOException("no space"));

            assertThrows(IllegalStateException.class, () -> ledger.awaitSequence(2, Duration.ofHours(1)));
        }
    }

    private Ledger open()
    {
        return Ledger.open(tempDir.resolve("ledger.db"));
    }
}
