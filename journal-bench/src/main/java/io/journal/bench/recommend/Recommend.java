package io.journal.bench.recommend;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Machine;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Session;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Measures the backends on the machine and disk it runs on, and says which one to take, with which settings. From a
 * clean clone:
 * <pre>
 * mvn -q -Precommend package -Djournal.recommend.dir=/where/the/journal/will/be
 * </pre>
 */
@Command(
    name = "recommend",
    description = "Measures which backend and which settings suit this machine, this disk and your records. Asks for " +
        "--dir, --survive, --record-length and --rate if none of them is given and there is a terminal. Its rounds " +
        "are those of the leaders, head to head: 7 or more, and more where there is time.",
    defaultValueProvider = Recommend.Defaults.class,
    sortOptions = false)
public final class Recommend implements Callable<Integer>
{
    /** Fewer tell nothing apart. */
    public static final int LEAST_ROUNDS = Comparison.MIN_ROUNDS;

    /** Case of the line of a result file that has the recommendation as its values. */
    static final String VERDICT = "verdict";

    private static final String UNKNOWN = "unknown";
    private static final int COLUMNS = 80;
    private static final int MIN_RECORD_LENGTH = 8;
    private static final int MAX_RECORD_LENGTH = 4 * 1024 * 1024;
    private static final int MIN_SECONDS = 5;
    // What each trial takes for what counts; it starts, warms up, opens and checks besides.
    private static final int SHORT_TRIAL_MS = 300;
    private static final int TRIAL_MS = 500;
    private static final String[] ASKED = { "--dir", "--survive", "--record-length", "--rate" };

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options;

    @Option(names = "--survive", defaultValue = "power", description = "What an acknowledged record survives: the " +
        "end of the process, or the loss of power. One of: process, power. Default: ${DEFAULT-VALUE}")
    private DurabilityRequirement survive;

    @Option(names = "--record-length", defaultValue = "256", description = "Usual length of a record in bytes. " +
        "Default: ${DEFAULT-VALUE}")
    private int recordLength;

    @Option(names = "--rate", defaultValue = UNKNOWN, description = "Records a " +
        "second, at most. A default backend that sustains twice as many stays. Default: ${DEFAULT-VALUE}")
    private String rate;

    @Option(names = "--seconds", defaultValue = "100", description = "Time to measure, about. Less than 60 leave the " +
        "length of segments as it is. Default: ${DEFAULT-VALUE}")
    private int seconds;

    @Option(names = "--settings", description = "File for the settings, to be given to JournalBuilder.settings. One " +
        "that is there is replaced.")
    private Path settings;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        final boolean isAnyGiven =
            Stream.of(ASKED).anyMatch((name) -> spec.commandLine().getParseResult().hasMatchedOption(name));
        final Questions questions = isAnyGiven || options.isJson ? null : Questions.ofTerminal();
        if (null != questions)
        {
            ask(questions);
        }
        checkOptions();

        final double wanted = options.scaled(seconds);
        final Plan plan = Plan.of(requirement(), wanted < Study.ENOUGH_SECONDS ? SHORT_TRIAL_MS : TRIAL_MS);
        return run(Case.all(recordLength), plan, wanted);
    }

    void ask(final Questions questions)
    {
        options.directory = Path.of(questions.ask(
            "Which directory will the journal be in?", options.directory.toString(), "a path", Recommend::isPath));
        survive = DurabilityRequirement.valueOf(questions.ask(
            "What must an acknowledged record survive, the end of the process or the loss of power?",
            survive.name().toLowerCase(Locale.ROOT), "process or power",
            (answer) -> answer.matches("(?i)process|power")).toUpperCase(Locale.ROOT));
        recordLength = Integer.parseInt(questions.ask(
            "How many bytes does a record have?", Integer.toString(recordLength),
            "a number from " + MIN_RECORD_LENGTH + " to " + MAX_RECORD_LENGTH,
            (answer) -> isWithin(answer, MIN_RECORD_LENGTH, MAX_RECORD_LENGTH)));
        rate = questions.ask(
            "How many records a second will there be, at most?", rate, "a number from 1 on, or " + UNKNOWN,
            Recommend::isRate);
    }

    int run(final List<Case> cases, final Plan plan, final double wantedSeconds)
        throws IOException, InterruptedException
    {
        try (Session session = Session.open(spec, options, plan.neededSpace()))
        {
            session.printNoDeviceWarnings();
            final boolean isInMemory = Machine.isInMemory(session.path());
            // Nothing survives a loss of power there, and a force costs nothing: what appending costs decides.
            final Requirement met =
                isInMemory ? new Requirement(DurabilityRequirement.PROCESS, recordLength, rate()) : requirement();
            final Recommendation recommendation =
                new Study(session, met, plan, options.rounds, wantedSeconds).run(cases);
            session.add(0, VERDICT, recommendation.parameters(), recommendation.values());
            print(session.out(), recommendation, met.durability() != survive);
            if (null != settings)
            {
                write(recommendation.file(header(session)));
                session.out().println("Written to " + settings + ", for Journal.builder(path).settings(file).");
            }
            session.out().flush();
            return CommandLine.ExitCode.OK;
        }
    }

    private void print(final PrintWriter out, final Recommendation recommendation, final boolean isInMemory)
    {
        if (isInMemory)
        {
            printWrapped(
                out, "", "Warning: this file system is in memory. Nothing on it survives a loss of power, and an " +
                    "fsync costs nothing: what decides here is what appending costs. Measure where the journal will " +
                    "be.");
            out.println();
        }
        final Verdict verdict = recommendation.verdict();
        out.printf(
            Locale.ROOT, "Recommended, if a record has to survive %s:%n%s, %s, force %s%n",
            recommendation.requirement().durability().what(), verdict.recommended().label(),
            SegmentLengths.label(recommendation.segmentLength()), recommendation.force().setting());
        if (!verdict.ties().isEmpty())
        {
            printWrapped(out, "", "A tie with " + Verdict.labels(verdict.ties()) + ".");
        }
        if (!verdict.untried().isEmpty())
        {
            printWrapped(
                out, "", "Not compared, and perhaps as good: " + Verdict.labels(verdict.untried()) + ".");
        }
        recommendation.reasons().forEach((reason) -> printWrapped(out, "  - ", reason));
        out.println();
        recommendation.table().forEach(out::println);
        out.print(recommendation.snippet());
        out.println();
        // With what was answered, if it was asked.
        out.println("The same again: " + commandLine());
    }

    /**
     * In lines of a terminal; those after the first are indented as far.
     */
    private static void printWrapped(final PrintWriter out, final String prefix, final String text)
    {
        final StringBuilder line = new StringBuilder(prefix);
        boolean isEmpty = true;
        for (final String word : text.split(" "))
        {
            if (!isEmpty && line.length() + 1 + word.length() > COLUMNS)
            {
                out.println(line);
                line.setLength(0);
                line.append(" ".repeat(prefix.length()));
                isEmpty = true;
            }
            line.append(isEmpty ? "" : " ").append(word);
            isEmpty = false;
        }
        out.println(line);
    }

    private List<String> header(final Session session) throws IOException
    {
        final List<String> lines = new ArrayList<>();
        lines.add("Settings of a journal, for Journal.builder(path).settings(file); calls behind that one win.");
        lines.add("Written by " + commandLine());
        if (1 != options.scale)
        {
            lines.add("Measured " + options.scaleText());
        }
        Machine.facts(session.path()).forEach((key, value) -> lines.add(key + ": " + value));
        return lines;
    }

    private String commandLine()
    {
        return String.format(
            Locale.ROOT, "recommend --dir=%s --survive=%s --record-length=%d --rate=%s --seconds=%d", options.directory,
            survive.name().toLowerCase(Locale.ROOT), recordLength, rate, seconds);
    }

    /**
     * Whoever reads the file meanwhile finds the old one or the new one.
     */
    private void write(final String text) throws IOException
    {
        final Path absolute = settings.toAbsolutePath();
        final Path written = absolute.resolveSibling(absolute.getFileName() + ".tmp");
        try
        {
            Files.writeString(written, text);
            Files.move(written, absolute, StandardCopyOption.ATOMIC_MOVE);
        }
        finally
        {
            Files.deleteIfExists(written);
        }
    }

    private Requirement requirement()
    {
        return new Requirement(survive, recordLength, rate());
    }

    private void checkOptions()
    {
        if (recordLength < MIN_RECORD_LENGTH || recordLength > MAX_RECORD_LENGTH)
        {
            throw refused("--record-length must be from " + MIN_RECORD_LENGTH + " to " + MAX_RECORD_LENGTH);
        }
        if (!isRate(rate))
        {
            throw refused("--rate must be 1 or more, or " + UNKNOWN);
        }
        if (seconds < MIN_SECONDS)
        {
            throw refused("--seconds must be " + MIN_SECONDS + " or more");
        }
        if (options.rounds < LEAST_ROUNDS)
        {
            throw refused("--rounds must be " + LEAST_ROUNDS + " or more");
        }
        if (null != settings)
        {
            // Before it is measured, not after.
            final Path parent = settings.toAbsolutePath().getParent();
            if (null == parent || !Files.isWritable(parent) || Files.isDirectory(settings))
            {
                throw refused("--settings cannot be written: " + settings);
            }
        }
    }

    private ParameterException refused(final String message)
    {
        return new ParameterException(spec.commandLine(), message);
    }

    private static boolean isPath(final String answer)
    {
        try
        {
            return !Path.of(answer).toString().isEmpty();
        }
        catch (final InvalidPathException ex)
        {
            return false;
        }
    }

    private static boolean isWithin(final String answer, final int least, final int most)
    {
        return answer.matches("\\d{1,10}") && Long.parseLong(answer) >= least && Long.parseLong(answer) <= most;
    }

    private long rate()
    {
        return UNKNOWN.equals(rate) ? Requirement.UNKNOWN_RATE : Long.parseLong(rate);
    }

    private static boolean isRate(final String text)
    {
        return UNKNOWN.equals(text) || isWithin(text, 1, Integer.MAX_VALUE);
    }

    /**
     * Of the options that all measuring commands have: these rounds decide, and fewer could not.
     */
    static final class Defaults implements IDefaultValueProvider
    {
        @Override
        public String defaultValue(final ArgSpec argument)
        {
            return argument.isOption() && "--rounds".equals(((OptionSpec)argument).longestName()) ?
                Integer.toString(LEAST_ROUNDS) : null;
        }
    }
}
