package io.journal.bench.run;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Progress on standard error: a bar on a terminal, a line per round elsewhere.
 *
 * @param bar null if quiet, or not on a terminal.
 */
public record Progress(boolean isQuiet, ProgressBar bar) implements AutoCloseable
{
    private static final int UPDATE_MS = 250;

    public static Progress of(final boolean isQuiet, final String name, final int steps)
    {
        // Not the default consumer: it determines the terminal's width through native code, which newer JDKs warn
        // about. The width matters because a longer line would not be fully overwritten by the next update.
        return new Progress(isQuiet, isQuiet || !Terminal.is(2) ? null : new ProgressBarBuilder()
            .setTaskName(name).setInitialMax(steps).setStyle(ProgressBarStyle.ASCII).setUpdateIntervalMillis(UPDATE_MS)
            .setConsumer(new DelegatingProgressBarConsumer((line) -> System.err.print('\r' + line), Terminal.columns()))
            .build());
    }

    public void next(final String what)
    {
        if (null != bar)
        {
            bar.setExtraMessage(what);
        }
    }

    public void step()
    {
        if (null != bar)
        {
            bar.step();
        }
    }

    void round(final String message)
    {
        if (null == bar && !isQuiet)
        {
            System.err.println(message);
        }
    }

    @Override
    public void close()
    {
        if (null != bar)
        {
            bar.close();
            System.err.println();
        }
    }
}
