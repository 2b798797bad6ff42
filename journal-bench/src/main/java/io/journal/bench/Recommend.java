package io.journal.bench;

/**
 * Recommends a backend for the machine it runs on.
 */
public final class Recommend
{
    private Recommend()
    {
    }

    /**
     * Entry point.
     *
     * @param args of the command line.
     */
    public static void main(final String[] args)
    {
        System.out.println("recommend: nothing to measure yet");
    }
}
