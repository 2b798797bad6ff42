package io.journal.examples.bank.run;

import java.io.IOException;

/**
 * The process that started this one. It holds the other end of the standard input: when it is gone, however it ended,
 * reading finds the end.
 */
final class Parent
{
    private volatile boolean isAlive = true;

    Parent()
    {
        final Thread thread = new Thread(this::readToEnd, "bank-parent");
        thread.setDaemon(true);
        thread.start();
    }

    boolean isAlive()
    {
        return isAlive;
    }

    private void readToEnd()
    {
        try
        {
            while (System.in.read() >= 0)
            {
                // Nothing is said on this line.
            }
        }
        catch (final IOException ignore)
        {
            // As good as the end.
        }
        isAlive = false;
    }
}
