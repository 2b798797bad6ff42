package io.journal.tools;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.spi.ToolProvider;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Done by {@code journal-replicated}, which these tools do not depend on.
 */
@Command(
    name = "seed",
    header = "Copies a member of a cluster, for a new or wiped member to start with.",
    description = {
        "",
        "The member may be running, under load. The new one starts in the copy and catches up from where that was " +
            "made. Run it where the member is, and move the copy to the machine of the new one.",
        "",
        "Needs journal-replicated on the class path: java -cp journal.jar:journal-replicated.jar " +
            "io.journal.tools.Main seed ..." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:the copy is complete",
        "2:the target is not empty, the id is that of the member, or the command line is wrong",
        "3:not the directory of a member, or journal-replicated is not there",
        "5:an I/O error, or the disk is full; delete what there is of the target" })
final class SeedCommand implements Callable<Integer>
{
    private static final String PROVIDER = "journal-seed";

    @Parameters(index = "0", paramLabel = "MEMBER", description = "Directory of a member of the cluster.")
    private String source;

    @Parameters(index = "1", paramLabel = "TARGET", description = "Directory of the copy, absent or empty.")
    private String target;

    @Parameters(index = "2", paramLabel = "ID", description = "Id of the member that will start in the copy.")
    private String memberId;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelp;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        final ToolProvider seed = ToolProvider.findFirst(PROVIDER).orElseThrow(() -> new CommandException(
            ExitCode.NO_JOURNAL,
            "journal-replicated is not on the class path; run: java -cp journal.jar:journal-replicated.jar " +
                Main.class.getName() + " " + String.join(" ", List.of("seed", source, target, memberId))));
        final StringWriter problem = new StringWriter();
        final int exitCode = seed.run(
            spec.commandLine().getOut(), new PrintWriter(problem, true), source, target, memberId);
        if (ExitCode.OK != exitCode)
        {
            throw new CommandException(exitCode, problem.toString().strip());
        }

        return exitCode;
    }
}
