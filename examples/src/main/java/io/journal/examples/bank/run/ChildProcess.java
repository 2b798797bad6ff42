package io.journal.examples.bank.run;

/**
 * What the programs that a {@link ManagedProcess} runs have in common.
 */
final class ChildProcess
{
    /** Exit code: there is no use in starting it again. */
    static final int CANNOT_START = 2;

    private static final ProcessHandle PARENT = ProcessHandle.current().parent().orElseThrow();

    private ChildProcess()
    {
    }

    /** Also false if the parent was killed, which leaves its children running otherwise. */
    static boolean isParentAlive()
    {
        return PARENT.isAlive();
    }

    /** Closes something when this process is asked to end; a kill does not ask. */
    static void closeAtEnd(final AutoCloseable closeable)
    {
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
        {
            try
            {
                closeable.close();
            }
            catch (final Exception ex)
            {
                System.err.println("Not closed: " + ex);
            }
        }, "bank-end"));
    }
}
