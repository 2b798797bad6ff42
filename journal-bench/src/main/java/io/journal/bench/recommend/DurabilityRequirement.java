package io.journal.bench.recommend;

import java.util.List;

import io.journal.bench.journal.Case;

/**
 * What an acknowledged record has to survive, which tells the figures that matter most.
 */
enum DurabilityRequirement
{
    /**
     * The end of the process: a record counts once it is with the operating system, so every append must write.
     */
    PROCESS("the end of the process", "appends", List.of(Figure.APPEND))
    {
        @Override
        boolean admits(final Case candidate)
        {
            return 0 == candidate.writeWindow();
        }
    },

    /**
     * The loss of power: a record counts once it is durable, and until then it may wait in a window.
     */
    POWER("a loss of power", "fsynced appends", Figure.FORCED)
    {
        @Override
        boolean admits(final Case candidate)
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
     * Name of the figures together.
     */
    String figuresName()
    {
        return figuresName;
    }

    /**
     * Rates of acknowledged records; each is one way to reach the rate that is asked for.
     */
    List<Figure> figures()
    {
        return figures;
    }

    /**
     * Whether a case keeps that promise.
     */
    abstract boolean admits(Case candidate);
}
