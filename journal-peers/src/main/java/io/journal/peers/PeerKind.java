package io.journal.peers;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.journal.JournalReader;
import io.journal.store.Backend;

/**
 * The peers, with the JVM flags that each of them needs, and what each guarantees.
 */
enum PeerKind
{
    JOURNAL_MAPPED(
        "Journal, MAPPED", List.of(), Measured.ALL,
        new Guarantees("CRC32C of each record, verified by replay", "fsync, group commit", "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new JournalPeer(settings, Backend.MAPPED, JournalReader.Verification.ALWAYS);
        }
    },
    JOURNAL_MAPPED_RECYCLED(
        "Journal, recycled", List.of(), Set.of(Workload.SUSTAINED),
        new Guarantees("CRC32C of each record, verified by replay", "fsync, group commit", "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return JournalPeer.thatRecycles(settings);
        }

        @Override
        boolean removesRecords()
        {
            return true;
        }
    },
    JOURNAL_MAPPED_ONCE(
        "Journal, verified once", List.of(), Set.of(Workload.REPLAY),
        new Guarantees("CRC32C of each record, verified by the first replay", "fsync, group commit",
            "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new JournalPeer(settings, Backend.MAPPED, JournalReader.Verification.ONCE);
        }
    },
    JOURNAL_MAPPED_UNVERIFIED(
        "Journal, not verified", List.of(), Set.of(Workload.REPLAY),
        new Guarantees("CRC32C of each record, not verified by replay", "fsync, group commit", "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new JournalPeer(settings, Backend.MAPPED, JournalReader.Verification.NEVER);
        }
    },
    JOURNAL_MAPPED_WAITING(
        "Journal, awaitForced", List.of(), Set.of(Workload.PIPELINED),
        new Guarantees("CRC32C of each record, verified by replay", "fsync by the thread that waits",
            "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return JournalPeer.thatWaits(settings);
        }
    },
    JOURNAL_MAPPED_OWN_THREAD(
        "Journal, own thread", List.of(), Set.of(Workload.PIPELINED),
        new Guarantees("CRC32C of each record, verified by replay", "fsync by a thread of the application",
            "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return JournalPeer.withForcingThread(settings);
        }
    },
    JOURNAL_FILE_CHANNEL(
        "Journal, FILE_CHANNEL", List.of(), Measured.ALL,
        new Guarantees("CRC32C of each record, verified by replay", "fsync, group commit", "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new JournalPeer(settings, Backend.FILE_CHANNEL, JournalReader.Verification.ALWAYS);
        }
    },
    CHRONICLE_QUEUE(
        "Chronicle Queue", Flags.CHRONICLE,
        Measured.with(Workload.SHARED, Workload.LOOKUP, Workload.FOLLOWED, Workload.OPEN, Workload.OPEN_DURABLE),
        new Guarantees("none", "msync on request, no group commit",
            "undetected"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new ChroniclePeer(settings);
        }
    },
    AERON_ARCHIVE(
        "Aeron Archive", Flags.AERON, Measured.with(Workload.SHARED, Workload.PIPELINED, Workload.FOLLOWED),
        new Guarantees("none by default", "fsync of each recorded block, which groups",
            "a last frame across pages is dropped"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new ArchivePeer(settings, false);
        }
    },
    AERON_ARCHIVE_CRC(
        "Aeron Archive, CRC", Flags.AERON, Measured.with(Workload.SHARED, Workload.PIPELINED),
        new Guarantees("CRC32C of each frame, verified by replay", "fsync of each recorded block, which groups",
            "a last frame across pages is verified"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new ArchivePeer(settings, true);
        }
    },
    ARTEMIS(
        "Artemis journal, NIO", List.of(),
        Measured.with(Workload.SHARED, Workload.PIPELINED, Workload.OPEN, Workload.OPEN_DURABLE),
        new Guarantees("none", "fsync, group commit by a timed buffer",
            "detected by a trailing length, the record dropped"))
    {
        @Override
        Peer open(final PeerSettings settings) throws Exception
        {
            return new ArtemisPeer(settings);
        }
    },
    ROCKSDB(
        "RocksDB", List.of(), Measured.with(Workload.SHARED, Workload.LOOKUP, Workload.OPEN, Workload.OPEN_DURABLE),
        new Guarantees("CRC32C of each WAL record and block", "fsync, group commit", "detected, the log ends there"))
    {
        @Override
        Peer open(final PeerSettings settings) throws Exception
        {
            return new RocksPeer(settings);
        }
    },
    MVSTORE(
        "H2 MVStore", List.of(), Measured.with(Workload.LOOKUP, Workload.OPEN, Workload.OPEN_DURABLE),
        new Guarantees("Fletcher sum of each chunk", "fsync, no group commit", "detected, the last chunk dropped"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new MvStorePeer(settings);
        }
    },
    JDK_CHANNEL(
        "JDK, FileChannel", List.of(), Measured.with(),
        new Guarantees("none", "fsync, no group commit", "undetected"))
    {
        @Override
        Peer open(final PeerSettings settings) throws Exception
        {
            return new ChannelPeer(settings);
        }
    },
    JDK_MAPPED(
        "JDK, mapped copy", List.of(), Measured.with(),
        new Guarantees("none", "fsync, no group commit", "undetected"))
    {
        @Override
        Peer open(final PeerSettings settings) throws Exception
        {
            return new MappedPeer(settings, false);
        }
    },
    JDK_MAPPED_CRC(
        "JDK, mapped copy and CRC", List.of(), Measured.with(),
        new Guarantees("CRC32C of each record, verified by replay", "fsync, no group commit", "detected"))
    {
        @Override
        Peer open(final PeerSettings settings) throws Exception
        {
            return new MappedPeer(settings, true);
        }
    };

    private final String title;
    private final List<String> flags;
    private final Set<Workload> workloads;
    private final Guarantees guarantees;

    PeerKind(
        final String title, final List<String> flags, final Set<Workload> workloads, final Guarantees guarantees)
    {
        this.title = title;
        this.flags = flags;
        this.workloads = workloads;
        this.guarantees = guarantees;
    }

    /**
     * Opens a peer's files, or creates them.
     */
    abstract Peer open(PeerSettings settings) throws Exception;

    /** Whether old records are removed while others are appended. */
    boolean removesRecords()
    {
        return false;
    }

    String title()
    {
        return title;
    }

    List<String> flags()
    {
        return flags;
    }

    Guarantees guarantees()
    {
        return guarantees;
    }

    boolean isJournal()
    {
        return name().startsWith("JOURNAL");
    }

    /**
     * Whether a workload is compared: not what a peer does not offer. Plain files have nothing to open, and Archive
     * waits for a timeout after a kill.
     */
    boolean measures(final Workload workload)
    {
        return workloads.contains(workload);
    }

    /**
     * What a peer guarantees of its records, as configured here.
     */
    record Guarantees(String checksum, String durability, String tornWrites)
    {
    }

    /** Workloads of most peers, and of all. */
    private static final class Measured
    {
        static final Set<Workload> ALL = EnumSet.allOf(Workload.class);
        private static final Set<Workload> COMMON = EnumSet.of(
            Workload.PREPARED, Workload.SUSTAINED, Workload.DURABLE, Workload.REPLAY, Workload.PACED);

        private Measured()
        {
        }

        static Set<Workload> with(final Workload... others)
        {
            final Set<Workload> all = EnumSet.copyOf(COMMON);
            all.addAll(List.of(others));
            return all;
        }
    }

    /**
     * Flags that a peer's documentation asks for; JVMs of other peers do not get them.
     */
    private static final class Flags
    {
        static final List<String> CHRONICLE = List.of(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED", "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-Dchronicle.analytics.disable=true", "-Dchronicle.announcer.disable=true");
        static final List<String> AERON = List.of(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
            "-Dagrona.disable.bounds.checks=true");

        private Flags()
        {
        }
    }
}
