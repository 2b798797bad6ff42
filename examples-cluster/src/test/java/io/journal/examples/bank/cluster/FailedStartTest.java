package io.journal.examples.bank.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * What cannot be started leaves nothing behind.
 */
@Timeout(900)
class FailedStartTest
{
    @TempDir
    Path tempDir;

    @Test
    void writerIsNotConnectedIfThereIsNoPlaceForSnapshots() throws IOException
    {
        final ClusterDirectory directory = new ClusterDirectory(tempDir);
        Files.createFile(directory.snapshots());

        // No member runs: connecting would throw as well, but something else and not at once.
        assertThrows(
            IOException.class, () -> ClusterJournal.connect(directory, "127.0.0.1:9000", new MemberStates()));
    }

    @Test
    void membersEndIfTheBankCannotBeStarted()
    {
        final Set<ProcessHandle> before = children();

        // Used once the members have started.
        assertThrows(NullPointerException.class, () -> ClusterSupervisor.start(tempDir.resolve("bank"), 0, null));

        assertEquals(before, children());
    }

    private static Set<ProcessHandle> children()
    {
        return ProcessHandle.current().children().collect(Collectors.toSet());
    }
}
