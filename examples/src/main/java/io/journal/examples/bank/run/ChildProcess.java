// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

/**
 * Common code of the programs that a {@link ManagedProcess} runs. They run until they are asked to end or the parent is
 * killed, which would otherwise leave them running.
 */
final class ChildProcess
{
    /** Exit code: there is no use in starting it again. */
    static final int CANNOT_START = 2;

    private static final ProcessHandle PARENT = ProcessHandle.current().parent().orElseThrow();
    private static volatile boolean isAskedToEnd;

    private ChildProcess()
    {
    }

    /** Called first, by the main thread, which must return from main for the process to end. */
    static void begin()
    {
        final Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
        {
            isAskedToEnd = true;
            try
            {
                main.join();
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
            }
        }, "bank-end"));
    }

    static boolean isRunning()
    {
        return !isAskedToEnd && PARENT.isAlive();
    }
}
