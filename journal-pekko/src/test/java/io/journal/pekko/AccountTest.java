// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The example survives SIGKILL: no deposit that was acknowledged is lost, and none is there twice. */
class AccountTest
{
    @TempDir
    private Path directory;
    private final long[] balances = new long[Account.ACCOUNTS];

    @Test
    @Tag("slow")
    void acknowledgedDepositsSurviveSigkill() throws IOException, InterruptedException
    {
        runAndKillOften(3);
    }

    @Test
    @Tag("soak")
    void acknowledgedDepositsSurviveManyKills() throws IOException, InterruptedException
    {
        runAndKillOften(Integer.getInteger("journal.test.kills", 100));
    }

    private void runAndKillOften(final int count) throws IOException, InterruptedException
    {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        for (int i = 0; i < count; i++)
        {
            runAndKill(200 + random.nextInt(1_000), "seed=" + seed + ", round=" + i);
        }
    }

    private void runAndKill(final int lines, final String message) throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC", "-Dslf4j.internal.verbosity=ERROR", "-cp", System.getProperty("java.class.path"),
            Account.class.getName(), directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader reader =
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII)))
        {
            final boolean[] hasRecovered = new boolean[Account.ACCOUNTS];
            int count = 0;
            String line = reader.readLine();
            while (null != line)
            {
                if (++count == lines)
                {
                    // Not by the process itself: that would close the stream.
                    process.toHandle().destroyForcibly();
                }
                final String next = reader.readLine();
                if (null != next)
                {
                    // The last line may be cut.
                    check(line, hasRecovered, message);
                }
                line = next;
            }
            assertTrue(count >= lines, message + ", lines=" + count);
        }
        finally
        {
            process.destroyForcibly().waitFor();
        }
    }

    private void check(final String line, final boolean[] hasRecovered, final String message)
    {
        final int account = Integer.parseInt(line.split(" ")[0]);
        final long balance = Long.parseLong(line.split(" ")[1]);
        if (hasRecovered[account])
        {
            assertEquals(balances[account] + 1, balance, message + ", account=" + account);
        }
        else
        {
            // At most one deposit that was not acknowledged, or whose line was lost.
            assertTrue(balance == balances[account] || balance == balances[account] + 1 ||
                balance == balances[account] + 2,
                message + ", account=" + account + ", balance=" + balance +
                    ", acknowledged=" + balances[account]);
        }
        hasRecovered[account] = true;
        balances[account] = balance;
    }
}
