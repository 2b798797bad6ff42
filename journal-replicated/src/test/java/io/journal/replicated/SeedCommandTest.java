// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.spi.ToolProvider;

import io.journal.Journal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * {@code journal seed}: how the tools find it, and its messages for wrong arguments. {@link ReplicationTest} shows that
 * a member starts with the directory that it makes.
 */
@Tag("slow")
class SeedCommandTest
{
    @TempDir
    private Path temp;
    private Path member;
    private Path target;

    /** The files of a member that is down, as far as the copy needs them. */
    @BeforeEach
    void createMember() throws IOException
    {
        member = temp.resolve("member");
        Files.createDirectory(member);
        target = temp.resolve("copy");
        try (Journal journal = Journal.builder(member.resolve("journal")).segmentLength(64 * 1024).open())
        {
            journal.appender().append("record".getBytes(StandardCharsets.UTF_8));
        }
        Files.writeString(member.resolve("member.id"), "1\n");
        Files.createDirectories(member.resolve("engine/cluster"));
        Files.createDirectories(member.resolve("engine/archive"));
        for (final String name : new String[]{ "cluster/recording.log", "cluster/node-state.dat",
            "archive/archive.catalog", "archive/0-0.rec" })
        {
            Files.writeString(member.resolve("engine").resolve(name), name);
        }
    }

    @Test
    void toolsFindTheCommandWithoutAeron() throws Exception
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classPathWithoutAeron(),
            "io.journal.tools.Main", "seed", member.toString(), target.toString(), "2").redirectErrorStream(true)
            .start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, process.waitFor(), output);
        assertTrue(output.startsWith("Member 2 can start in " + target + ": it has the records up to 1,"), output);
        assertEquals("2\n", Files.readString(target.resolve("member.id")));
        assertEquals("archive/0-0.rec", Files.readString(target.resolve("engine/archive/0-0.rec")));
    }

    private static String classPathWithoutAeron()
    {
        final StringBuilder path = new StringBuilder();
        for (final String element : System.getProperty("java.class.path").split(java.io.File.pathSeparator))
        {
            if (!element.contains("aeron"))
            {
                path.append(element).append(java.io.File.pathSeparator);
            }
        }
        return path.toString();
    }

    @Test
    void wrongArgumentsAreNamedAndNothingIsMade() throws IOException
    {
        refuse(3, "not the directory of a member that has run: " + temp.resolve("absent"), temp.resolve("absent"), "2");
        JournalMember.create(0, temp.resolve("new"));
        refuse(3, "not the directory of a member that has run", temp.resolve("new"), "2");
        refuse(3, "not the directory of a member", member.resolve("journal"), "2");
        refuse(2, "not the id of a member: two", member, "two");
        refuse(2, "must never run with the same id", member, "1");
        refuse(2, "memberId=-1", member, "-1");
        Files.writeString(member.resolve("member.id"), "");
        refuse(5, "cannot read the member's id: file=" + member.resolve("member.id"), member, "2");
        assertFalse(Files.exists(target));

        target = member.resolve("copy");
        refuse(2, "lies within that of the member", member, "2");
        target = Files.createDirectory(temp.resolve("used"));
        Files.createFile(target.resolve("file"));
        refuse(2, "must be absent or empty: " + target, member, "2");
    }

    @Test
    void memberIsMadeAtTheRootOfAFreshVolume() throws IOException
    {
        Files.createDirectories(target.resolve("lost+found"));

        assertEquals(1, MemberSeed.copy(member, target, 2));
        assertTrue(Files.isDirectory(target.resolve("lost+found")));
    }

    @Test
    void whatCannotBeReadIsNamed() throws IOException
    {
        Files.delete(member.resolve("engine/archive/archive.catalog"));

        refuse(5, "archive.catalog", member, "2");
        // No member starts in an incomplete directory.
        assertFalse(Files.exists(target.resolve("member.id")));
    }

    private void refuse(final int exitCode, final String expected, final Path source, final String memberId)
    {
        final StringWriter err = new StringWriter();
        final ToolProvider seed = ToolProvider.findFirst("journal-seed").orElseThrow();

        assertEquals(
            exitCode, seed.run(
                new PrintWriter(new StringWriter()), new PrintWriter(err), source.toString(), target.toString(),
                memberId));
        assertTrue(err.toString().contains(expected), err::toString);
    }
}
