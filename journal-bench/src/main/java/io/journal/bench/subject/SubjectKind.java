// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.nio.file.Files;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.journal.bench.workload.Workload;
import io.journal.store.Backend;

import static io.journal.bench.workload.Workload.DURABLE;
import static io.journal.bench.workload.Workload.FIRST_LOOKUP;
import static io.journal.bench.workload.Workload.FOLLOWED;
import static io.journal.bench.workload.Workload.IDLE;
import static io.journal.bench.workload.Workload.LOOKUP;
import static io.journal.bench.workload.Workload.OPEN;
import static io.journal.bench.workload.Workload.OPEN_DURABLE;
import static io.journal.bench.workload.Workload.PACED;
import static io.journal.bench.workload.Workload.PIPELINED;
import static io.journal.bench.workload.Workload.PREPARED;
import static io.journal.bench.workload.Workload.REPLAY;
import static io.journal.bench.workload.Workload.SHARED;
import static io.journal.bench.workload.Workload.START;
import static io.journal.bench.workload.Workload.SUSTAINED;

/**
 * The subjects: how each is opened, the JVM flags that it alone needs, and the workloads that it takes part in when all
 * are compared. Other journals are opened by name: their libraries are in a profile of the build.
 */
public enum SubjectKind
{
    JOURNAL_MAPPED("Journal, MAPPED", Map.of("backend", "MAPPED"), EnumSet.complementOf(EnumSet.of(IDLE))),
    JOURNAL_MAPPED_RECYCLED(
        "Journal, recycled", Map.of("backend", "MAPPED", "recycling", "true", "keptSegments", "8"),
        EnumSet.of(SUSTAINED)),
    JOURNAL_MAPPED_ONCE(
        "Journal, verified once", Map.of("backend", "MAPPED", "verification", "ONCE"), EnumSet.of(REPLAY)),
    JOURNAL_MAPPED_UNVERIFIED(
        "Journal, not verified", Map.of("backend", "MAPPED", "verification", "NEVER"), EnumSet.of(REPLAY)),
    JOURNAL_MAPPED_WAITING(
        "Journal, awaitForced", Map.of("backend", "MAPPED", "forcePolicy", "manual"), EnumSet.of(PIPELINED)),
    JOURNAL_FILE_CHANNEL(
        "Journal, FILE_CHANNEL", Map.of("backend", "FILE_CHANNEL"), EnumSet.complementOf(EnumSet.of(IDLE))),
    JOURNAL_RANDOM_ACCESS_FILE(
        "Journal, RANDOM_ACCESS_FILE", Map.of("backend", "RANDOM_ACCESS_FILE"), EnumSet.noneOf(Workload.class)),
    JOURNAL_DIRECT("Journal, DIRECT", Map.of("backend", "DIRECT"), EnumSet.of(DURABLE)),
    CHRONICLE_QUEUE(
        "Chronicle Queue", peer("Chronicle"), List.of(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-Dchronicle.analytics.disable=true", "-Dchronicle.announcer.disable=true"),
        Map.of(), with(SHARED, LOOKUP, FIRST_LOOKUP, FOLLOWED, OPEN, OPEN_DURABLE, START)),
    AERON_ARCHIVE(
        "Aeron Archive", peer("Archive"), aeron(), Map.of(), with(SHARED, PIPELINED, FOLLOWED, START)),
    AERON_ARCHIVE_CRC(
        "Aeron Archive, CRC", peer("Archive"), aeron(), Map.of("checksum", "true"), with(SHARED, PIPELINED)),
    ARTEMIS(
        "Artemis journal, NIO", peer("Artemis"), List.of(), Map.of(),
        with(SHARED, PIPELINED, OPEN, OPEN_DURABLE, START)),
    ROCKSDB(
        "RocksDB", peer("Rocks"), List.of(), Map.of(),
        with(SHARED, LOOKUP, FIRST_LOOKUP, OPEN, OPEN_DURABLE, START)),
    MVSTORE(
        "H2 MVStore", peer("MvStore"), List.of(), Map.of(), with(LOOKUP, FIRST_LOOKUP, OPEN, OPEN_DURABLE, START)),
    JDK_CHANNEL("JDK, FileChannel", ChannelSubject::new, List.of(), Map.of(), with()),
    JDK_MAPPED("JDK, mapped copy", MappedSubject::new, List.of(), Map.of(), with()),
    JDK_MAPPED_CRC(
        "JDK, mapped copy and CRC", MappedSubject::new, List.of(), Map.of("checksum", "true"), with());

    private final String title;
    private final Opening opening;
    private final List<String> flags;
    private final Map<String, String> options;
    private final Set<Workload> workloads;

    /** Opens the files of a subject, or creates them. */
    private interface Opening
    {
        Subject open(Setup setup) throws Exception;
    }

    SubjectKind(final String title, final Map<String, String> options, final Set<Workload> workloads)
    {
        this(title, JournalSubject::new, List.of(), options, workloads);
    }

    SubjectKind(
        final String title, final Opening opening, final List<String> flags, final Map<String, String> options,
        final Set<Workload> workloads)
    {
        this.title = title;
        this.opening = opening;
        this.flags = flags;
        this.options = options;
        this.workloads = workloads;
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

    /** Those of every subject, and more. */
    private static Set<Workload> with(final Workload... others)
    {
        final Set<Workload> all = EnumSet.of(PREPARED, SUSTAINED, DURABLE, REPLAY, PACED);
        all.addAll(List.of(others));
        return all;
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

    /** JVM flags that its documentation asks for; JVMs of other subjects do not get them. */
    public List<String> flags()
    {
        return flags;
    }

    /** Passed to it with each case. */
    public Map<String, String> options()
    {
        return options;
    }

    public boolean isJournal()
    {
        return name().startsWith("JOURNAL");
    }

    /**
     * Whether a workload is compared: not what a subject does not offer. Plain files have nothing to open, and Archive
     * waits for a timeout after a kill.
     */
    public boolean measures(final Workload workload)
    {
        return workloads.contains(workload);
    }

    /** Whether its libraries are in this build. */
    public boolean isBuilt()
    {
        return isJournal() || name().startsWith("JDK") ||
            null != getClass().getResource("/io/journal/bench/peer/ArchiveSubject.class");
    }
}
