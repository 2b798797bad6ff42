// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

/**
 * Common code of the programs that a {@link ManagedProcess} runs. They run until they are asked to end or their parent
 * has ended, because a killed parent cannot end its children.
 */
final class ChildProcess
{
    /** Exit code of a process that must not be restarted. */
    static final int CANNOT_START = 2;

    private static final ProcessHandle PARENT = ProcessHandle.current().parent().orElseThrow();
    private static volatile boolean isAskedToEnd;

    private ChildProcess()
    {
    }

    /** Must be called first, by the main thread. A shutdown then waits until the main method returns. */
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
