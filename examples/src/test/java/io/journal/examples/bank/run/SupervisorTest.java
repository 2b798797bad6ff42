// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.journal.examples.bank.BankFiles;
import io.journal.examples.bank.read.Turnover;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("slow")
@Timeout(900)
class SupervisorTest
{
    @TempDir
    Path tempDir;

    @Test
    void followerThatWasKilledIsStartedAgainAndCatchesUp() throws Exception
    {
        try (Supervisor supervisor = new Supervisor("--dir=" + tempDir, "--port=0"))
        {
            final LoadClient client = new LoadClient(supervisor.awaitReady(0), 3, 1);
            client.openAccounts(100);
            awaitEvents(6);

            supervisor.kill("follower");
            client.openAccounts(100);

            // The accounts are open already, so this adds only three deposits.
            awaitEvents(9);
        }
    }

    @Test
    void secondBankInADirectorySaysWhyItDoesNotStart()
    {
        try (Supervisor supervisor = new Supervisor("--dir=" + tempDir, "--port=0"))
        {
            final CannotStartException ex =
                assertThrows(CannotStartException.class, () -> new Supervisor("--dir=" + tempDir, "--port=0"));

            assertTrue(ex.getMessage().startsWith("A bank is open already in " + tempDir), ex::getMessage);
            assertEquals(1, supervisor.starts());
        }
    }

    @Test
    void portThatIsInUseEndsTheBankAtOnceAndSaysSo() throws Exception
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")))
        {
            final List<String> lines = run("--dir=" + tempDir, "--port=" + socket.getLocalPort());

            assertTrue(
                lines.contains("Port " + socket.getLocalPort() + " is in use. Choose another: -Dbank.port=8080"),
                lines::toString);
            assertTrue(lines.stream().noneMatch((line) -> line.startsWith("\tat ")), lines::toString);
        }
    }

    @Test
    void optionThatIsUnknownIsNamed() throws Exception
    {
        assertEquals("Unknown option: '--nonsense'", run("--nonsense").get(0));
    }

    /** Runs the bank in a process, as a user does, until it gives up; returns what it prints. */
    private List<String> run(final String... options) throws IOException, InterruptedException
    {
        final Path output = Files.createTempFile(tempDir, "output", "");
        final ProcessBuilder builder = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), Supervisor.class.getName());
        builder.command().addAll(List.of(options));
        final Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertEquals(ChildProcess.CANNOT_START, process.waitFor());
        return Files.readAllLines(output);
    }

    private void awaitEvents(final long events) throws Exception
    {
        while (Turnover.read(new BankFiles(tempDir).turnover()).events() < events)
        {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
