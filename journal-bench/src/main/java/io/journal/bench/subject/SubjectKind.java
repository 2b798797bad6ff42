package io.journal.bench.subject;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.journal.bench.workload.Workload;

import static io.journal.bench.workload.Workload.FIRST_LOOKUP;
import static io.journal.bench.workload.Workload.FOLLOWED;
import static io.journal.bench.workload.Workload.LOOKUP;
import static io.journal.bench.workload.Workload.OPEN;
import static io.journal.bench.workload.Workload.OPEN_DURABLE;
import static io.journal.bench.workload.Workload.PIPELINED;
import static io.journal.bench.workload.Workload.REPLAY;
import static io.journal.bench.workload.Workload.SHARED;
import static io.journal.bench.workload.Workload.START;
import static io.journal.bench.workload.Workload.SUSTAINED;

/**
 * The subjects: how each is opened, the JVM flags that it alone needs, the workloads that it takes part in when all are
 * compared, and what it guarantees. Other journals are opened by name: their libraries are in a profile of the build.
 */
public enum SubjectKind
{
    JOURNAL_MAPPED("Journal, MAPPED", Map.of("backend", "MAPPED"), EnumSet.complementOf(EnumSet.of(Workload.IDLE))),
    JOURNAL_MAPPED_RECYCLED(
        "Journal, recycled", Map.of("backend", "MAPPED", "recycling", "true", "keptSegments", "8"),
        EnumSet.of(SUSTAINED)),
    JOURNAL_MAPPED_ONCE(
        "Journal, verified once", Map.of("backend", "MAPPED", "verification", "ONCE"), EnumSet.of(REPLAY)),
    JOURNAL_MAPPED_UNVERIFIED(
        "Journal, not verified", Map.of("backend", "MAPPED", "verification", "NEVER"), EnumSet.of(REPLAY)),
    JOURNAL_MAPPED_WAITING(
        "Journal, awaitForced", Map.of("backend", "MAPPED", "forcePolicy", "manual"), EnumSet.of(PIPELINED)),
    JOURNAL_MAPPED_OWN_THREAD(
        "Journal, own thread", Map.of("backend", "MAPPED", "forcePolicy", "manual", "ownThread", "true"),
        EnumSet.of(PIPELINED)),
    JOURNAL_FILE_CHANNEL(
        "Journal, FILE_CHANNEL", Map.of("backend", "FILE_CHANNEL"), EnumSet.complementOf(EnumSet.of(Workload.IDLE))),
    JOURNAL_RANDOM_ACCESS_FILE(
        "Journal, RANDOM_ACCESS_FILE", Map.of("backend", "RANDOM_ACCESS_FILE"), EnumSet.noneOf(Workload.class)),
    JOURNAL_DIRECT("Journal, DIRECT", Map.of("backend", "DIRECT"), EnumSet.of(Workload.DURABLE)),
    CHRONICLE_QUEUE(
        "Chronicle Queue", peer("Chronicle"), List.of(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-Dchronicle.analytics.disable=true", "-Dchronicle.announcer.disable=true"),
        Map.of(), with(SHARED, LOOKUP, FIRST_LOOKUP, FOLLOWED, OPEN, OPEN_DURABLE, START),
        new Guarantees("none", "msync on request, no group commit", "undetected")),
    AERON_ARCHIVE(
        "Aeron Archive", peer("Archive"), Names.AERON, Map.of(), with(SHARED, PIPELINED, FOLLOWED, START),
        new Guarantees("none by default", "fsync of each recorded block, which groups",
            "a last frame across pages is dropped")),
    AERON_ARCHIVE_CRC(
        "Aeron Archive, CRC", peer("Archive"), Names.AERON, Map.of("checksum", "true"), with(SHARED, PIPELINED),
        new Guarantees("CRC32C of each frame, verified by replay", "fsync of each recorded block, which groups",
            "a last frame across pages is verified")),
    ARTEMIS(
        "Artemis journal, NIO", peer("Artemis"), List.of(), Map.of(),
        with(SHARED, PIPELINED, OPEN, OPEN_DURABLE, START),
        new Guarantees("none", "fsync, group commit by a timed buffer",
            "detected by a trailing length, the record dropped")),
    ROCKSDB(
        "RocksDB", peer("Rocks"), List.of(), Map.of(),
        with(SHARED, LOOKUP, FIRST_LOOKUP, OPEN, OPEN_DURABLE, START),
        new Guarantees("CRC32C of each WAL record and block", "fsync, group commit", "detected, the log ends there")),
    MVSTORE(
        "H2 MVStore", peer("MvStore"), List.of(), Map.of(), with(LOOKUP, FIRST_LOOKUP, OPEN, OPEN_DURABLE, START),
        new Guarantees("Fletcher sum of each chunk", "fsync, no group commit", "detected, the last chunk dropped")),
    JDK_CHANNEL(
        "JDK, FileChannel", ChannelSubject::new, List.of(), Map.of(), with(),
        new Guarantees("none", "fsync, no group commit", "undetected")),
    JDK_MAPPED(
        "JDK, mapped copy", MappedSubject::new, List.of(), Map.of(), with(),
        new Guarantees("none", "fsync, no group commit", "undetected")),
    JDK_MAPPED_CRC(
        "JDK, mapped copy and CRC", MappedSubject::new, List.of(), Map.of("checksum", "true"), with(),
        new Guarantees("CRC32C of each record, verified by replay", "fsync, no group commit", "detected"));

    private final String title;
    private final Opening opening;
    private final List<String> flags;
    private final Map<String, String> options;
    private final Set<Workload> workloads;
    private final Guarantees guarantees;

    /** Opens the files of a subject, or creates them. */
    private interface Opening
    {
        Subject open(Setup setup) throws Exception;
    }

    SubjectKind(final String title, final Map<String, String> options, final Set<Workload> workloads)
    {
        this(title, JournalSubject::new, List.of(), options, workloads, new Guarantees(
            "CRC32C of each record, verified by " + switch (options.getOrDefault("verification", "ALWAYS"))
            {
                case "ONCE" -> "the first replay";
                case "NEVER" -> "no replay here";
                default -> "replay";
            }, options.containsKey("ownThread") ? "fsync by a thread of the application" :
                options.containsKey("forcePolicy") ? "fsync by the thread that waits" : "fsync, group commit",
            "detected, truncated"));
    }

    SubjectKind(
        final String title, final Opening opening, final List<String> flags, final Map<String, String> options,
        final Set<Workload> workloads, final Guarantees guarantees)
    {
        this.title = title;
        this.opening = opening;
        this.flags = flags;
        this.options = options;
        this.workloads = workloads;
        this.guarantees = guarantees;
    }

    private static Opening peer(final String name)
    {
        return (setup) -> (Subject)Class.forName(Names.PEERS + name + "Subject").getConstructor(Setup.class)
            .newInstance(setup);
    }

    /** Those of every subject, and more. */
    private static Set<Workload> with(final Workload... others)
    {
        final Set<Workload> all = EnumSet.of(
            Workload.PREPARED, Workload.SUSTAINED, Workload.DURABLE, Workload.REPLAY, Workload.PACED);
        all.addAll(List.of(others));
        return all;
    }

    /** The journal with a backend. */
    public static SubjectKind ofBackend(final String backend)
    {
        return valueOf("JOURNAL_" + backend);
    }

    /** Opens the files of this subject, or creates them. */
    public Subject open(final Setup setup) throws Exception
    {
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

    public Guarantees guarantees()
    {
        return guarantees;
    }

    public boolean isJournal()
    {
        return name().startsWith("JOURNAL");
    }

    /** Whether old records are removed while others are appended. */
    public boolean isRemoving()
    {
        return options.containsKey("keptSegments");
    }

    public boolean isSharingMemory()
    {
        return name().startsWith("AERON");
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
        try
        {
            return isJournal() || name().startsWith("JDK") ||
                null != Class.forName(Names.PEERS + "ArchiveSubject", false, getClass().getClassLoader());
        }
        catch (final ClassNotFoundException ex)
        {
            return false;
        }
    }

    /** What a subject guarantees of its records, as configured here. */
    public record Guarantees(String checksum, String durability, String tornWrites)
    {
    }

    private static final class Names
    {
        static final String PEERS = "io.journal.bench.peer.";
        static final List<String> AERON = List.of(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
            "-Dagrona.disable.bounds.checks=true");

        private Names()
        {
        }
    }
}
