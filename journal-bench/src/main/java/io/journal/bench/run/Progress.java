package io.journal.bench.run;

import java.util.Optional;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Progress on standard error: a bar on a terminal, a line per round elsewhere.
 *
 * @param bar none if quiet, or not on a terminal.
 */
public record Progress(boolean isQuiet, Optional<ProgressBar> bar) implements AutoCloseable
{
    private static final int UPDATE_MS = 250;

    public static Progress of(final boolean isQuiet, final String name, final int steps)
    {
        if (isQuiet || !Terminal.is(2))
        {
            return new Progress(isQuiet, Optional.empty());
        }

        // Not the default consumer: it determines the terminal's width through native code, which newer JDKs warn
        // about. The width matters because a longer line would not be fully overwritten by the next update.
        return new Progress(false, Optional.of(new ProgressBarBuilder()
            .setTaskName(name).setInitialMax(steps).setStyle(ProgressBarStyle.ASCII).setUpdateIntervalMillis(UPDATE_MS)
            .setConsumer(new DelegatingProgressBarConsumer((line) -> System.err.print('\r' + line), Terminal.columns()))
            .build()));
    }

    public void next(final String what)
    {
        bar.ifPresent((shown) -> shown.setExtraMessage(what));
    }

    public void step()
    {
        bar.ifPresent(ProgressBar::step);
    }

    void round(final String message)
    {
        if (bar.isEmpty() && !isQuiet)
        {
            System.err.println(message);
        }
    }

    @Override
    public void close()
    {
        bar.ifPresent((shown) ->
        {
            shown.close();
            System.err.println();
        });
    }
}
