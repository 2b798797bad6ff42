package io.journal.examples.bank.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.function.Consumer;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The process that started this one. It holds the other end of the standard input: once it has ended, in whatever
 * way, reading finds the end.
 */
public final class Parent
{
    private final Consumer<String> lines;
    private volatile boolean isAlive = true;

    /**
     * Begins to listen.
     *
     * @param lines called with each line of the parent, by a thread of its own.
     */
    public Parent(final Consumer<String> lines)
    {
        this.lines = lines;
        final Thread thread = new Thread(this::readToEnd, "bank-parent");
        thread.setDaemon(true);
        thread.start();
    }

    /** {@return whether it is running} */
    public boolean isAlive()
    {
        return isAlive;
    }

    private void readToEnd()
    {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(System.in, UTF_8)))
        {
            reader.lines().forEach(lines);
        }
        catch (final IOException | UncheckedIOException ignore)
        {
            // Counts as the end.
        }
        finally
        {
            isAlive = false;
        }
    }
}
