// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.examples.LogRecords;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.codec.EventCodec.StoredEvent;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Event;
import io.journal.examples.bank.journal.LocalJournal;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

@Timeout(900)
class ReadModelTest
{
    // Longer than any test, so a wait ends only by success or by the timeout of the test.
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    Path tempDir;

    private final EventCodec codec = new EventCodec();
    private Journal journal;
    private ReadModelRunner<AccountsView> accounts;

    @BeforeEach
    void open()
    {
        journal = Journal.builder(tempDir.resolve("journal")).segmentLength(JournalBuilder.MIN_SEGMENT_LENGTH)
            .force(ForcePolicy.manual()).open();
        accounts = new ReadModelRunner<>(new LocalJournal(journal), "accounts", new AccountsView(null));
    }

    @AfterEach
    void close()
    {
        CloseHelper.closeAll(accounts, journal);
    }

    @Test
    void eachKindOfEventIsShown() throws Exception
    {
        append(new Event.AccountOpened(2, "Grace", 1));
        append(new Event.AccountOpened(1, "Ada", 2));
        append(new Event.Deposited(1, 100));
        append(new Event.Withdrawn(1, 10));
        append(new Event.Transferred(1, 2, 30));
        journal.force();

        final AccountsView view = accounts.await(5, LONG);

        assertEquals(
            List.of(new Account(1, "Ada", 2, 60, 4), new Account(2, "Grace", 1, 30, 2)), view.accounts(10));
        assertEquals(List.of(new Account(1, "Ada", 2, 60, 4)), view.accounts(1));
        assertEquals(new AccountsView.Totals(5, 2, 90), view.totals());
    }

    @Test
    void whatIsNotDurableIsNotShown() throws Exception
    {
        append(new Event.AccountOpened(1, "Ada", 1));
        journal.force();
        append(new Event.AccountOpened(2, "Grace", 1));

        assertEquals(1, accounts.await(1, LONG).totals().accounts());
        assertThrows(TimeoutException.class, () -> accounts.await(2, Duration.ofMillis(1)));

        journal.force();
        assertEquals(2, accounts.await(2, LONG).totals().accounts());
    }

    @Test
    void manyEventsTakeSeveralBatchesAndTheCursorIsSavedAtTheEnd() throws Exception
    {
        append(new Event.AccountOpened(1, "Ada", 1));
        for (int i = 0; i < 10_000; i++)
        {
            append(new Event.Deposited(1, 1));
        }
        journal.force();

        assertEquals(10_000, accounts.await(10_001, LONG).totals().cents());
        accounts.close();
        assertEquals(10_001, journal.cursor("accounts").sequence());
        assertThrows(IllegalStateException.class, accounts::model);
    }

    @Test
    void recordThatIsNoEventEndsTheModelAndQueriesSayWhy() throws Exception
    {
        try (LogRecords log = new LogRecords(ReadModelRunner.class.getName()))
        {
            journal.appender().append(77, new byte[4]);
            journal.force();
            assertInstanceOf(
                IllegalStateException.class,
                assertThrows(IllegalStateException.class, () -> accounts.await(1, LONG)).getCause());
            accounts.close();
            assertEquals(List.of("read model failed: name=accounts"), log.messages());
        }
    }

    @Test
    void ledgerHasRowsAndPositionAfterACommitAndNeitherWithoutOne()
    {
        final Path file = tempDir.resolve("ledger.db");
        final UUID first = new UUID(0, 1);
        try (Ledger ledger = Ledger.open(file))
        {
            ledger.apply(1, new StoredEvent(first, new Event.AccountOpened(1, "Ada", 1)));
            ledger.apply(2, new StoredEvent(new UUID(0, 2), new Event.Deposited(1, 100)));
            ledger.commit();
            ledger.apply(3, new StoredEvent(new UUID(0, 3), new Event.Withdrawn(1, 10)));
        }

        try (Ledger ledger = Ledger.open(file))
        {
            assertEquals(2, ledger.sequence());
            assertEquals(new LedgerQueries.Totals(2, 0, 100), ledger.queries().totals());
            assertEquals(
                new LedgerQueries.Audit(1, 1, 0), ledger.queries().audit(first, new UUID(0, 3)));

            ledger.apply(3, new StoredEvent(first, new Event.Withdrawn(1, 10)));
            ledger.commit();
            assertEquals(new LedgerQueries.Totals(3, 1, 90), ledger.queries().totals());
            assertEquals(new LedgerQueries.Audit(0, 0, 1), ledger.queries().audit(first));
            ledger.apply(3, new StoredEvent(new UUID(0, 4), new Event.Withdrawn(1, 10)));
            assertThrows(IllegalStateException.class, ledger::commit);
        }
    }

    @Test
    void followerContinuesWhereItsFileIsAndBeginsAgainIfThatIsOfAnotherHistory() throws Exception
    {
        final Path file = tempDir.resolve("turnover.json");
        append(new Event.AccountOpened(1, "Ada", 1));
        append(new Event.Deposited(1, 100));
        journal.force();
        follow(file, 2);
        assertEquals(new Turnover(2, 2, 100, 0, 0), Turnover.read(file));

        append(new Event.Withdrawn(1, 30));
        journal.force();
        follow(file, 3);
        assertEquals(new Turnover(3, 3, 100, 30, 0), Turnover.read(file));

        new Turnover(1_000, 1_000, 5, 5, 5).write(file);
        follow(file, 3);
        assertEquals(new Turnover(3, 3, 100, 30, 0), Turnover.read(file));
        assertEquals(1, Files.list(tempDir).filter((each) -> each.toString().contains("turnover")).count());
    }

    private void follow(final Path file, final long sequence) throws Exception
    {
        TurnoverFollower.follow(tempDir.resolve("journal"), file, () ->
        {
            try
            {
                return Turnover.read(file).sequence() != sequence;
            }
            catch (final IOException ex)
            {
                throw new AssertionError(ex);
            }
        });
    }

    private void append(final Event event)
    {
        codec.append(journal.appender(), UUID.randomUUID(), event);
    }
}
