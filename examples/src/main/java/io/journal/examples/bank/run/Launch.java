package io.journal.examples.bank.run;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

import io.journal.examples.bank.BankDirectory;

/**
 * What a supervisor starts.
 *
 * @param server      main class of the bank's process.
 * @param javaOptions of its JVM.
 * @param options     of the server, beside {@code --dir} and {@code --port}.
 * @param followed    the journal that the follower reads.
 * @param lines       called with what the server prints, unless it is for the supervisor.
 */
public record Launch(
    Class<?> server, List<String> javaOptions, List<String> options, Path followed, Consumer<String> lines)
{
    static Launch local(final BankDirectory directory, final List<String> options)
    {
        return new Launch(BankServer.class, List.of(), options, directory.journal(), System.out::println);
    }
}
