package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.bench.run.Subject;
import picocli.CommandLine.Option;

/**
 * An experiment of an article: its own procedure, with what it printed, or the same question asked fairly.
 */
public abstract class ArticleExperiment extends Experiment
{
    @Option(names = "--profile", defaultValue = "fair", description = "One of: ${COMPLETION-CANDIDATES}. Default: " +
        "${DEFAULT-VALUE}")
    protected Profile profile;

    @Override
    protected final Profile profile()
    {
        return profile;
    }

    @Override
    protected final void run(final Session session) throws IOException, InterruptedException
    {
        if (Profile.FAITHFUL == profile)
        {
            runFaithful(session);
        }
        else
        {
            super.run(session);
        }
    }

    /** The article's procedure. */
    protected abstract void runFaithful(Session session) throws IOException, InterruptedException;

    /** Says how the page cache was dropped, where it was. */
    protected final void printCold(
        final PrintWriter out, final Results results, final List<Subject> subjects, final String when)
    {
        if (Profile.COLD == profile)
        {
            out.println("The page cache was dropped before " + when + ": " +
                ColdRead.describe(results, subjects.stream().map(Subject::label).toList()));
        }
    }
}
