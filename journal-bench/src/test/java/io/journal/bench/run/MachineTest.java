// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MachineTest
{
    private static final List<String> MOUNTS = List.of(
        "/dev/sda1 / ext4 rw,relatime 0 0",
        "tmpfs /run tmpfs rw,size=1k 0 0",
        "/dev/sdb1 /with\\040space xfs rw,noatime 0 0",
        "/dev/sdb1 /again xfs ro 0 0");

    @Test
    void mountOptionsAreThoseOfTheLastMount()
    {
        assertEquals("rw,relatime", Machine.mountOptions(MOUNTS, "/dev/sda1"));
        assertEquals("ro", Machine.mountOptions(MOUNTS, "/dev/sdb1"));
    }

    @Test
    void unknownMountsHaveNoOptions()
    {
        assertEquals("unknown options", Machine.mountOptions(MOUNTS, "/dev/sdc1"));
    }

    @Test
    void valueIsThatOfTheFirstLineWithTheKey(@TempDir final Path directory) throws IOException
    {
        final Path file = Files.writeString(
            directory.resolve("cpuinfo"), "processor\t: 0\nmodel name\t: Some: CPU\nmodel name\t: Other");

        assertEquals("Some: CPU", Machine.value(file, "model name"));
        assertEquals("", Machine.value(file, "MemTotal"));
    }

    @Test
    void describesTheJvmAndTheFileSystem(@TempDir final Path directory) throws IOException
    {
        final String description = String.valueOf(Machine.facts(directory, "none"));

        assertTrue(description.contains(System.getProperty("java.runtime.version")), description);
        assertTrue(description.contains(directory.toString()), description);
        assertTrue(description.contains("file system"), description);
        assertTrue(description.matches(".*memory=\\d+ MiB.*"), description);
    }

    @Test
    void warnsOfFileSystemsThatHideTheDevice()
    {
        assertEquals("", Machine.warning("ext4"));
        assertEquals("", Machine.warning("xfs"));
        assertTrue(Machine.warning("tmpfs").contains("in memory"));
        assertTrue(Machine.warning("overlay").contains("layered"));
        assertTrue(Machine.warning("nfs4").contains("network"));
        assertTrue(Machine.warning("fuse.sshfs").contains("network"));
    }

    @Test
    void theCommitIsNamedWithUncommittedChanges()
    {
        final Properties build = new Properties();
        assertEquals("unknown: not built in a git checkout", Machine.commit(build));
        build.setProperty("git.commit.id", "0123abcd");
        assertEquals("0123abcd", Machine.commit(build));
        build.setProperty("git.dirty", "true");
        assertEquals("0123abcd, with uncommitted changes", Machine.commit(build));
    }
}
