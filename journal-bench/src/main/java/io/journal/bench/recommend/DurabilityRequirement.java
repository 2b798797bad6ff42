package io.journal.bench.recommend;

import java.util.List;

import io.journal.bench.journal.BackendConfig;

/**
 * What an acknowledged record must survive. Determines the figures that decide.
 */
enum DurabilityRequirement
{
    /**
     * The end of the process: a record is acknowledged once it is in the page cache, so every append must write.
     */
    PROCESS("the end of the process", "appends", List.of(Figure.APPEND))
    {
        @Override
        boolean admits(final BackendConfig candidate)
        {
            return 0 == candidate.writeWindow();
        }
    },

    /**
     * A loss of power: a record is acknowledged once it is durable; until then it may wait in a write window.
     */
    POWER("a loss of power", "appends with an fsync for each", Figure.FORCED)
    {
        @Override
        boolean admits(final BackendConfig candidate)
        {
            return true;
        }
    };

    private final String what;
    private final String figuresName;
    private final List<Figure> figures;

    DurabilityRequirement(final String what, final String figuresName, final List<Figure> figures)
    {
        this.what = what;
        this.figuresName = figuresName;
        this.figures = figures;
    }

    String what()
    {
        return what;
    }

    /**
     * Collective name of the figures.
     */
    String figuresName()
    {
        return figuresName;
    }

    /**
     * Rates of acknowledged records; any of them may meet the requested rate.
     */
    List<Figure> figures()
    {
        return figures;
    }

    /**
     * Whether a configuration gives that guarantee.
     */
    abstract boolean admits(BackendConfig candidate);
}
