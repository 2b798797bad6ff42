package io.journal.bench.recommend;

import java.util.List;

import io.journal.bench.journal.Case;

/**
 * What an acknowledged record has to survive, which tells the figures that matter.
 */
enum Survive
{
    /**
     * The end of the process: a record counts once it is with the operating system, so every append must write.
     */
    PROCESS("the end of the process", List.of(
        new Step("appends without force", List.of(Figure.APPEND, Figure.BURST)),
        new Step("replay", List.of(Figure.REPLAY)),
        new Step("forced appends", Figure.FORCED)))
    {
        @Override
        boolean admits(final Case candidate)
        {
            return 0 == candidate.writeWindow();
        }
    },

    /**
     * The loss of power: a record counts once it is forced, and until then it may wait in a window.
     */
    POWER("a loss of power", List.of(
        new Step("forced appends", Figure.FORCED),
        new Step("appends without force", List.of(Figure.APPEND, Figure.BURST)),
        new Step("replay", List.of(Figure.REPLAY))))
    {
        @Override
        boolean admits(final Case candidate)
        {
            return true;
        }
    };

    private final String what;
    private final List<Step> steps;

    Survive(final String what, final List<Step> steps)
    {
        this.what = what;
        this.steps = steps;
    }

    String what()
    {
        return what;
    }

    /**
     * What decides, and, where it does not, what decides then.
     */
    List<Step> steps()
    {
        return steps;
    }

    /**
     * Whether a case keeps that promise.
     */
    abstract boolean admits(Case candidate);

    /**
     * Figures that decide together.
     */
    record Step(String name, List<Figure> figures)
    {
    }
}
