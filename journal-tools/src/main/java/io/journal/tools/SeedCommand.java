// SPDX-License-Identifier: Apache-2.0
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
 * Calls {@code journal-replicated} through a {@link ToolProvider}, because these tools do not depend on it.
 */
@Command(
    name = "seed",
    header = "Copies a member of a cluster, for a new or wiped member to start with.",
    description = {
        "",
        "The member may be running, under load. The new member starts in the copy, and catches up from the moment " +
            "of the copy. Run this command on the machine of the running member, then move the copy to the machine " +
            "of the new one.",
        "",
        "Needs journal-replicated on the class path: java -cp journal.jar:journal-replicated.jar " +
            "io.journal.tools.Main seed ..." })
final class SeedCommand implements Callable<Integer>
{
    @Parameters(arity = "3", paramLabel = "MEMBER TARGET ID", hideParamSyntax = true, description = "Directory of a " +
        "member of the cluster; directory of the copy, absent or empty; id of the member that will start in it.")
    private List<String> arguments;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelp;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        final ToolProvider seed = ToolProvider.findFirst("journal-seed").orElseThrow(() -> new CommandException(
            ExitCode.NO_JOURNAL,
            "journal-replicated is not on the class path; run: java -cp journal.jar:journal-replicated.jar " +
                Main.class.getName() + " seed " + String.join(" ", arguments)));
        final StringWriter problem = new StringWriter();
        final int exitCode = seed.run(
            spec.commandLine().getOut(), new PrintWriter(problem, true), arguments.toArray(String[]::new));
        if (ExitCode.OK != exitCode)
        {
            throw new CommandException(exitCode, problem.toString().strip());
        }

        return exitCode;
    }
}
