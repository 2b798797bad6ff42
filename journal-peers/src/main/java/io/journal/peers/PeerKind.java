package io.journal.peers;

import java.util.List;

import io.journal.store.Backend;

/**
 * The peers, with the JVM flags that each of them needs, and what each guarantees.
 */
enum PeerKind
{
    JOURNAL_MAPPED(
        "Journal, MAPPED", List.of(),
        new Guarantees("CRC32C of each record, verified by replay", "fsync, group commit", "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new JournalPeer(settings, Backend.MAPPED);
        }
    },
    JOURNAL_FILE_CHANNEL(
        "Journal, FILE_CHANNEL", List.of(),
        new Guarantees("CRC32C of each record, verified by replay", "fsync, group commit", "detected, truncated"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new JournalPeer(settings, Backend.FILE_CHANNEL);
        }
    },
    CHRONICLE_QUEUE(
        "Chronicle Queue", Flags.CHRONICLE,
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
        "Aeron Archive", Flags.AERON,
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
        "Aeron Archive, CRC", Flags.AERON,
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
        "RocksDB", List.of(),
        new Guarantees("CRC32C of each WAL record and block", "fsync, group commit", "detected, the log ends there"))
    {
        @Override
        Peer open(final PeerSettings settings) throws Exception
        {
            return new RocksPeer(settings);
        }
    },
    MVSTORE(
        "H2 MVStore", List.of(),
        new Guarantees("Fletcher sum of each chunk", "fsync, no group commit", "detected, the last chunk dropped"))
    {
        @Override
        Peer open(final PeerSettings settings)
        {
            return new MvStorePeer(settings);
        }
    },
    JDK_CHANNEL(
        "JDK, FileChannel", List.of(),
        new Guarantees("none", "fsync, no group commit", "undetected"))
    {
        @Override
        Peer open(final PeerSettings settings) throws Exception
        {
            return new ChannelPeer(settings);
        }
    },
    JDK_MAPPED(
        "JDK, mapped copy", List.of(),
        new Guarantees("none", "fsync, no group commit", "undetected"))
    {
        @Override
        Peer open(final PeerSettings settings) throws Exception
        {
            return new MappedPeer(settings, false);
        }
    },
    JDK_MAPPED_CRC(
        "JDK, mapped copy and CRC", List.of(),
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
    private final Guarantees guarantees;

    PeerKind(final String title, final List<String> flags, final Guarantees guarantees)
    {
        this.title = title;
        this.flags = flags;
        this.guarantees = guarantees;
    }

    /**
     * Opens a peer's files, or creates them.
     */
    abstract Peer open(PeerSettings settings) throws Exception;

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
        return this == JOURNAL_MAPPED || this == JOURNAL_FILE_CHANNEL;
    }

    /** Whether opening after a kill is compared: plain files have nothing to open, Archive waits for a timeout. */
    boolean canReopen()
    {
        return this != AERON_ARCHIVE && this != AERON_ARCHIVE_CRC && this != JDK_CHANNEL && this != JDK_MAPPED &&
            this != JDK_MAPPED_CRC;
    }

    /**
     * What a peer guarantees of its records, as configured here.
     */
    record Guarantees(String checksum, String durability, String tornWrites)
    {
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
