// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.journal.replicated.AeronEngine;

/**
 * The files of a cluster whose members all run on this machine. In production, each member has a machine of its own.
 *
 * @param path directory of the bank.
 */
public record ClusterFiles(Path path)
{
    /** Number of members. */
    public static final int MEMBERS = 3;
    /** JVM flag that Aeron needs. */
    public static final String JAVA_OPTION = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

    /** {@return directory of a member} */
    public Path member(final int memberId)
    {
        return path.resolve("member-" + memberId);
    }

    /** {@return directory of the journal of a member} */
    public Path journal(final int memberId)
    {
        return member(memberId).resolve("journal");
    }

    /** {@return log file of a member} */
    public Path log(final int memberId)
    {
        return path.resolve("member-" + memberId + ".log");
    }

    /** {@return directory of Aeron's buffers, which are not needed once all processes have ended} */
    public Path memory()
    {
        return path.resolve("memory");
    }

    /** Stores the process id of this member, for {@link #isAlive}. */
    public void writePid(final int memberId) throws IOException
    {
        Files.writeString(path.resolve("member-" + memberId + ".pid"), Long.toString(ProcessHandle.current().pid()));
    }

    /**
     * Whether the process of a member is running. Only for display, because another process may have been given the
     * same id.
     */
    boolean isAlive(final int memberId)
    {
        try
        {
            final String pid = Files.readString(path.resolve("member-" + memberId + ".pid"));
            return !pid.isEmpty() && ProcessHandle.of(Long.parseLong(pid)).isPresent();
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /** {@return Aeron's settings} */
    public AeronEngine engine()
    {
        return new AeronEngine().termLength(1 << 20).logSegmentLength(4 << 20)
            .heartbeatTimeout(Duration.ofSeconds(1)).memoryDirectory(memory());
    }
}
