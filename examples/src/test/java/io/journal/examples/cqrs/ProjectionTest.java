package io.journal.examples.cqrs;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

import io.journal.Journal;
import io.journal.examples.CrashImage;
import org.agrona.concurrent.AgentTerminationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The projection without a thread, step by step.
 */
class ProjectionTest
{
    private static final Duration NO_TIME = Duration.ZERO;

    @TempDir
    Path tempDir;

    private final EventCodec codec = new EventCodec();
    private final AccountsView view = new AccountsView();
    private Journal journal;
    private Projection projection;

    @BeforeEach
    void open()
    {
        journal = CrashImage.settings(tempDir.resolve("bank")).open();
        projection = new Projection(journal, view);
    }

    @AfterEach
    void close()
    {
        projection.onClose();
        journal.close();
    }

    @Test
    void nothingIsThereAtFirst()
    {
        assertEquals(0, projection.doWork());

        assertEquals(new BankTotals(0, 0, 0), view.totals());
        assertEquals(Optional.empty(), view.account(1));
    }

    @Test
    void eachKindOfEventIsShown()
    {
        append(new Event.AccountOpened(1, 77));
        append(new Event.AccountOpened(2, 88));
        append(new Event.Deposited(1, 50));
        append(new Event.Transferred(1, 2, 20));
        append(new Event.Withdrawn(2, 5));
        journal.force();

        projection.catchUp();

        assertEquals(new BankTotals(5, 2, 45), view.totals());
        assertEquals(Optional.of(new AccountSummary(1, 77, 30, 2)), view.account(1));
        assertEquals(Optional.of(new AccountSummary(2, 88, 15, 2)), view.account(2));
    }

    @Test
    void whatIsNotForcedIsNotShown()
    {
        append(new Event.AccountOpened(1, 77));
        journal.force();
        append(new Event.Deposited(1, 50));

        projection.catchUp();
        assertEquals(new BankTotals(1, 1, 0), view.totals());

        journal.force();
        projection.catchUp();
        assertEquals(new BankTotals(2, 1, 50), view.totals());
    }

    @Test
    void manyEventsTakeSeveralStepsAndNoneIsLost()
    {
        append(new Event.AccountOpened(1, 77));
        for (int i = 0; i < 3_000; i++)
        {
            append(new Event.Deposited(1, 1));
        }
        journal.force();

        int steps = 0;
        while (projection.doWork() > 0)
        {
            steps++;
        }

        assertTrue(steps > 1, "steps=" + steps);
        assertEquals(new BankTotals(3_001, 1, 3_000), view.totals());
    }

    @Test
    void whatWasSeenNeedsNoWaitAndWhatWasNotTimesOut() throws InterruptedException, TimeoutException
    {
        append(new Event.AccountOpened(1, 77));
        journal.force();
        projection.catchUp();

        view.awaitSequence(0, NO_TIME);
        view.awaitSequence(1, NO_TIME);

        assertThrows(TimeoutException.class, () -> view.awaitSequence(2, NO_TIME));
        assertThrows(TimeoutException.class, () -> view.awaitSequence(2, Duration.ofMillis(1)));
    }

    @Test
    void eventThatIsNotKnownEndsTheProjectionAndQueriesSayWhy()
    {
        append(new Event.AccountOpened(1, 77));
        journal.appender().append(0x7777, new byte[8], 0, 8);
        append(new Event.Deposited(1, 50));
        journal.force();

        final AgentTerminationException ex = assertThrows(AgentTerminationException.class, projection::doWork);
        projection.onClose();

        assertTrue(ex.getMessage().contains("sequence=2"), ex.getMessage());
        assertCause(ex.getCause(), view::totals);
        assertCause(ex.getCause(), () -> view.account(1));
        assertCause(ex.getCause(), () -> view.awaitSequence(1, NO_TIME));
    }

    @Test
    void eventThatDoesNotFitTheStateEndsTheProjection()
    {
        append(new Event.Deposited(1, 50));
        journal.force();

        final AgentTerminationException ex = assertThrows(AgentTerminationException.class, projection::doWork);

        assertCause(ex.getCause(), view::totals);
    }

    @Test
    void closedProjectionReadsNoMoreAndItsViewAnswersNothing()
    {
        append(new Event.AccountOpened(1, 77));
        journal.force();

        projection.onClose();

        assertThrows(IllegalStateException.class, projection::catchUp);
        assertThrows(IllegalStateException.class, view::totals);
        assertThrows(IllegalStateException.class, () -> view.awaitSequence(0, NO_TIME));
    }

    private static void assertCause(final Throwable cause, final Executable query)
    {
        assertSame(cause, assertThrows(IllegalStateException.class, query).getCause());
    }

    private void append(final Event event)
    {
        codec.encode(event);
        journal.appender().append(codec.tag(), codec.buffer(), 0, codec.length());
    }
}
