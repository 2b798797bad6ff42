package io.journal.examples.bank.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.journal.examples.bank.BankDirectory;
import io.journal.examples.bank.read.TurnoverFollower;

/**
 * The process that builds a read model beside the bank.
 */
public final class FollowerProcess
{
    private FollowerProcess()
    {
    }

    /**
     * Entry point.
     *
     * @param args {@code --dir} of the bank, {@code --journal} to follow.
     * @throws IOException          if the read model cannot be read or written.
     * @throws InterruptedException if the thread is interrupted.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Options options = new Options(args, List.of("dir", "journal"));
        final BankDirectory directory = new BankDirectory(Path.of(options.text("dir", "target/bank")));
        final Parent parent = new Parent((line) ->
        {
            // It sends no lines.
        });
        TurnoverFollower.follow(
            Path.of(options.text("journal", directory.journal().toString())), directory.turnover(), parent::isAlive);
    }
}
