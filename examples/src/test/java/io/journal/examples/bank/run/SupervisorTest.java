package io.journal.examples.bank.run;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.journal.examples.bank.BankDirectory;
import io.journal.examples.bank.read.Turnover;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SupervisorTest
{
    @TempDir
    Path tempDir;

    @Test
    @Timeout(900)
    void followerThatEndedIsStartedAgainAndCatchesUp() throws Exception
    {
        final BankDirectory directory = new BankDirectory(tempDir.resolve("bank"));
        try (Supervisor supervisor = Supervisor.start(directory.path(), 0, List.of()))
        {
            final int port = supervisor.awaitReady(0);
            LoadRun.openAccounts(port, 3, 100);
            awaitEvents(directory, 6);

            supervisor.follower().destroyForcibly().waitFor();
            LoadRun.openAccounts(port, 3, 100);

            // Three more deposits: the accounts are open.
            awaitEvents(directory, 9);
        }
    }

    private static void awaitEvents(final BankDirectory directory, final long events) throws Exception
    {
        while (Turnover.read(directory.turnover()).figures().events() < events)
        {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
