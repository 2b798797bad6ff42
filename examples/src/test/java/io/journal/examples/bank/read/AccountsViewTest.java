package io.journal.examples.bank.read;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

import io.journal.Journal;
import io.journal.examples.CrashImage;
import io.journal.examples.LogRecords;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Event;
import io.journal.examples.bank.journal.LocalJournal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

@Timeout(900)
class AccountsViewTest
{
    private static final Duration NO_TIME = Duration.ZERO;
    // Longer than any test: a waiting thread is woken, or the test fails.
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    Path tempDir;

    private final EventCodec codec = new EventCodec();
    private final AccountsView view = AccountsView.empty();
    private Journal journal;
    private ReadModelRunner<AccountsView> runner;

    @BeforeEach
    void open()
    {
        journal = CrashImage.settings(tempDir.resolve("bank")).open();
        runner = ReadModelRunner.start(new LocalJournal(journal), "accounts", view);
    }

    @AfterEach
    void close()
    {
        runner.close();
        journal.close();
    }

    @Test
    void nothingIsThereAtFirst()
    {
        assertEquals(new BankTotals(0, 0, 0), view.totals());
        assertEquals(Optional.empty(), view.account(1));
        assertEquals(List.of(), view.accounts(10));
    }

    @Test
    void eachKindOfEventIsShown() throws Exception
    {
        append(new Event.AccountOpened(1, "Ada", 77));
        append(new Event.AccountOpened(2, "Bob", 88));
        append(new Event.Deposited(1, 50));
        append(new Event.Transferred(1, 2, 20));
        append(new Event.Withdrawn(2, 5));
        journal.force();

        view.awaitSequence(5, LONG);

        assertEquals(new BankTotals(5, 2, 45), view.totals());
        assertEquals(
            List.of(new Account(1, "Ada", 77, 30, 3), new Account(2, "Bob", 88, 15, 3)), view.accounts(10));
        assertEquals(1, view.accounts(1).size());
    }

    @Test
    void whatIsNotDurableIsNotShown() throws Exception
    {
        append(new Event.AccountOpened(1, "Ada", 77));
        journal.force();
        append(new Event.Deposited(1, 50));

        view.awaitSequence(1, LONG);
        assertThrows(TimeoutException.class, () -> view.awaitSequence(2, Duration.ofMillis(20)));
        assertEquals(new BankTotals(1, 1, 0), view.totals());

        journal.force();
        view.awaitSequence(2, LONG);
        assertEquals(new BankTotals(2, 1, 50), view.totals());
    }

    @Test
    void manyEventsTakeSeveralBatchesAndNoneIsLost() throws Exception
    {
        append(new Event.AccountOpened(1, "Ada", 77));
        for (int i = 0; i < 9_000; i++)
        {
            append(new Event.Deposited(1, 1));
        }
        journal.force();

        view.awaitSequence(9_001, LONG);

        assertEquals(new BankTotals(9_001, 1, 9_000), view.totals());
    }

    @Test
    void cursorIsSavedWhenTheViewIsClosed() throws Exception
    {
        append(new Event.AccountOpened(1, "Ada", 77));
        journal.force();
        view.awaitSequence(1, LONG);

        runner.close();

        assertEquals(1, journal.cursor("accounts").sequence());
    }

    @Test
    void whatWasSeenNeedsNoWaitAndWhatWasNotTimesOut() throws Exception
    {
        append(new Event.AccountOpened(1, "Ada", 77));
        journal.force();
        view.awaitSequence(1, LONG);

        view.awaitSequence(0, NO_TIME);
        view.awaitSequence(1, NO_TIME);

        assertThrows(TimeoutException.class, () -> view.awaitSequence(2, NO_TIME));
        assertThrows(TimeoutException.class, () -> view.awaitSequence(2, Duration.ofMillis(1)));
    }

    @Test
    void recordThatIsNoEventEndsTheViewAndQueriesSayWhy()
    {
        fail(() ->
        {
            append(new Event.AccountOpened(1, "Ada", 77));
            journal.appender().append(0x7777, new byte[8], 0, 8);
            append(new Event.Deposited(1, 50));
        });

        assertCause(runner.failure(), view::totals);
        assertCause(runner.failure(), () -> view.account(1));
        assertCause(runner.failure(), () -> view.awaitSequence(1, NO_TIME));
    }

    @Test
    void eventThatDoesNotFitTheStateEndsTheView()
    {
        fail(() -> append(new Event.Deposited(1, 50)));

        assertCause(runner.failure(), view::totals);
    }

    @Test
    void closedViewAnswersNothing()
    {
        runner.close();

        assertThrows(IllegalStateException.class, view::totals);
        assertThrows(IllegalStateException.class, () -> view.awaitSequence(0, NO_TIME));
    }

    /** Appends what the view fails of. */
    private void fail(final Runnable append)
    {
        try (LogRecords log = new LogRecords(ReadModelRunner.class.getName()))
        {
            append.run();
            journal.force();

            final IllegalStateException ex =
                assertThrows(IllegalStateException.class, () -> view.awaitSequence(Long.MAX_VALUE, LONG));
            assertEquals(List.of(ex.getCause()), log.thrown());
        }
    }

    private static void assertCause(final Throwable cause, final Executable query)
    {
        assertSame(cause, assertThrows(IllegalStateException.class, query).getCause());
    }

    private void append(final Event event)
    {
        codec.encode(UUID.randomUUID(), event);
        journal.appender().append(codec.tag(), codec.buffer(), 0, codec.length());
    }
}
