// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.nio.file.Files;
import java.util.List;
import java.util.Map;

import io.journal.bench.workload.Workload;
import io.journal.store.Backend;

/**
 * The subjects: how each is opened, the JVM flags that it alone needs, and the workloads that it takes part in when all
 * are compared. Other journals are opened by name: their libraries are in a profile of the build.
 */
public enum SubjectKind
{
    JOURNAL_MAPPED("Journal, MAPPED", JournalSubject::new, List.of(), Map.of("backend", "MAPPED"), Of.JOURNAL),
    JOURNAL_MAPPED_RECYCLED(
        "Journal, recycled", JournalSubject::new, List.of(),
        Map.of("backend", "MAPPED", "recycling", "true", "keptSegments", "8"), "SUSTAINED"),
    JOURNAL_MAPPED_ONCE(
        "Journal, verified once", JournalSubject::new, List.of(), Map.of("backend", "MAPPED", "verification", "ONCE"),
        "REPLAY"),
    JOURNAL_MAPPED_UNVERIFIED(
        "Journal, not verified", JournalSubject::new, List.of(), Map.of("backend", "MAPPED", "verification", "NEVER"),
        "REPLAY"),
    JOURNAL_MAPPED_WAITING(
        "Journal, awaitForced", JournalSubject::new, List.of(), Map.of("backend", "MAPPED", "forcePolicy", "manual"),
        "PIPELINED"),
    JOURNAL_FILE_CHANNEL(
        "Journal, FILE_CHANNEL", JournalSubject::new, List.of(), Map.of("backend", "FILE_CHANNEL"), Of.JOURNAL),
    JOURNAL_RANDOM_ACCESS_FILE(
        "Journal, RANDOM_ACCESS_FILE", JournalSubject::new, List.of(), Map.of("backend", "RANDOM_ACCESS_FILE"), ""),
    JOURNAL_DIRECT("Journal, DIRECT", JournalSubject::new, List.of(), Map.of("backend", "DIRECT"), "DURABLE"),
    CHRONICLE_QUEUE(
        "Chronicle Queue", peer("Chronicle"), List.of(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-Dchronicle.analytics.disable=true", "-Dchronicle.announcer.disable=true"),
        Map.of(), Of.EVERY + "SHARED LOOKUP FIRST_LOOKUP FOLLOWED OPEN OPEN_DURABLE START"),
    AERON_ARCHIVE(
        "Aeron Archive", peer("Archive"), aeron(), Map.of(), Of.EVERY + "SHARED PIPELINED FOLLOWED START"),
    AERON_ARCHIVE_CRC(
        "Aeron Archive, CRC", peer("Archive"), aeron(), Map.of("checksum", "true"), Of.EVERY + "SHARED PIPELINED"),
    ARTEMIS(
        "Artemis journal, NIO", peer("Artemis"), List.of(), Map.of(),
        Of.EVERY + "SHARED PIPELINED OPEN OPEN_DURABLE START"),
    ROCKSDB(
        "RocksDB", peer("Rocks"), List.of(), Map.of(),
        Of.EVERY + "SHARED LOOKUP FIRST_LOOKUP OPEN OPEN_DURABLE START"),
    MVSTORE(
        "H2 MVStore", peer("MvStore"), List.of(), Map.of(), Of.EVERY + "LOOKUP FIRST_LOOKUP OPEN OPEN_DURABLE START"),
    JDK_CHANNEL("JDK, FileChannel", ChannelSubject::new, List.of(), Map.of(), Of.EVERY),
    JDK_MAPPED("JDK, mapped copy", MappedSubject::new, List.of(), Map.of(), Of.EVERY),
    JDK_MAPPED_CRC("JDK, mapped copy and CRC", MappedSubject::new, List.of(), Map.of("checksum", "true"), Of.EVERY);

    /** JVM flags that its documentation asks for; JVMs of other subjects do not get them. */
    public final List<String> flags;
    /** Passed to it with each case. */
    public final Map<String, String> options;
    private final String title;
    private final Opening opening;
    private final List<String> workloads;

    /** Opens the files of a subject, or creates them. */
    private interface Opening
    {
        Subject open(Setup setup) throws Exception;
    }

    private interface Of
    {
        String EVERY = "PREPARED SUSTAINED DURABLE REPLAY PACED ";
        String JOURNAL = EVERY + "SHARED PIPELINED LOOKUP FIRST_LOOKUP FOLLOWED OPEN OPEN_DURABLE START SEEK";
    }

    SubjectKind(
        final String title, final Opening opening, final List<String> flags, final Map<String, String> options,
        final String workloads)
    {
        this.title = title;
        this.opening = opening;
        this.flags = flags;
        this.options = options;
        this.workloads = List.of(workloads.split(" "));
    }

    private static Opening peer(final String name)
    {
        return (
            setup) -> (Subject)Class.forName("io.journal.bench.peer." + name + "Subject").getConstructor(Setup.class)
                .newInstance(setup);
    }

    private static List<String> aeron()
    {
        return List.of(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
            "-Dagrona.disable.bounds.checks=true");
    }

    /** The journal with a backend. */
    public static SubjectKind ofBackend(final Backend backend)
    {
        return valueOf("JOURNAL_" + backend);
    }

    Subject open(final Setup setup) throws Exception
    {
        if (!isJournal())
        {
            Files.createDirectories(setup.directory());
        }
        return opening.open(setup);
    }

    public String title()
    {
        return title;
    }

    public boolean isJournal()
    {
        return name().startsWith("JOURNAL");
    }

    /**
     * Whether a workload is compared. Workloads that a subject does not offer are not: plain files have nothing to
     * open, and Archive waits for a timeout after a kill.
     */
    public boolean measures(final Workload workload)
    {
        return workloads.contains(workload.name());
    }

    /** Whether its libraries are in this build. */
    public boolean isBuilt()
    {
        return isJournal() || name().startsWith("JDK") ||
            null != getClass().getResource("/io/journal/bench/peer/ArchiveSubject.class");
    }
}
