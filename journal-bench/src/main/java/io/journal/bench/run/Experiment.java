package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The skeleton of a command whose cases are processes: options that cannot be run are refused before anything starts,
 * then the plan is said, everything is measured in rounds, and printed.
 */
public abstract class Experiment implements Callable<Integer>
{
    @Spec
    protected CommandSpec spec;

    @Mixin
    protected RunOptions options;

    @Override
    public final Integer call() throws IOException, InterruptedException
    {
        check(new Checks(spec));
        try (Session session = Session.open(spec, options, neededBytes()))
        {
            run(session);
            return CommandLine.ExitCode.OK;
        }
    }

    protected void run(final Session session) throws IOException, InterruptedException
    {
        final List<Subject> subjects = subjects(session);
        session.begin(profile(), plan(), seconds(subjects), unless());
        print(session.out(), session.measure(subjects), subjects);
        session.out().flush();
    }

    /** Refuses options that cannot be run. */
    protected abstract void check(Checks checks);

    /** Of space on the device, for the largest case. */
    protected abstract long neededBytes();

    /** What is measured in each round. */
    protected abstract List<Subject> subjects(Session session) throws IOException, InterruptedException;

    protected Profile profile()
    {
        return Profile.FAIR;
    }

    /** What is done, in words. */
    protected abstract String plan();

    /** What all rounds take, about. */
    protected abstract double seconds(List<Subject> subjects);

    /** What may make it longer, behind the time. */
    protected String unless()
    {
        return "";
    }

    protected abstract void print(PrintWriter out, Results results, List<Subject> subjects) throws IOException;
}
