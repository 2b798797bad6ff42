package io.journal;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.LongSupplier;

import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Settings of a journal to open, each with a usable default. Not thread-safe.
 */
public final class JournalBuilder
{
    /** Minimum segment length, in bytes. */
    public static final int MIN_SEGMENT_LENGTH = Layout.MIN_SEGMENT_LENGTH;

    /** Maximum segment length, in bytes. */
    public static final int MAX_SEGMENT_LENGTH = Layout.MAX_SEGMENT_LENGTH;

    /** Default segment length, in bytes. */
    public static final int DEFAULT_SEGMENT_LENGTH = 64 * 1024 * 1024;

    /** Maximum length of the write window, in bytes. */
    public static final int MAX_WRITE_WINDOW = 64 * 1024 * 1024;

    private final Path path;
    private Backend backend = Backend.MAPPED;
    // 0: the journal's own length, or newSegmentLength if it is created.
    private int segmentLength;
    private int newSegmentLength = DEFAULT_SEGMENT_LENGTH;
    private int writeWindow;
    private int maxRecordLength = FrameHeader.MAX_RECORD_LENGTH;
    private ForcePolicy forcePolicy = ForcePolicy.manual();
    private Retention retention = Retention.none();
    private boolean isRecycling;
    private boolean isBackgroundThreaded = true;
    private ErrorHandler errorHandler = JournalBuilder::log;
    private EpochClock clock = SystemEpochClock.INSTANCE;
    private LongSupplier randoms = new SecureRandom()::nextLong;
    private SegmentStore store;

    JournalBuilder(final Path path)
    {
        this.path = Objects.requireNonNull(path, "path");
    }

    /**
     * Reads settings from a properties file in UTF-8, such as one that the benchmarks' {@code recommend} wrote for the
     * machine and disk of the journal.
     * <p>
     * Each key is named after the method it stands for; all are optional, and there are no others:
     * <table>
     * <caption>Keys and their values</caption>
     * <tr><th>key</th><th>value</th></tr>
     * <tr><td>{@code backend}</td><td>name of a {@link Backend}</td></tr>
     * <tr><td>{@code force}</td><td>{@code manual}, {@code everyRecord}, or an interval such as {@code every 5 ms}, in
     * {@code us}, {@code ms} or {@code s}</td></tr>
     * <tr><td>{@code recycleSegments}</td><td>{@code true} or {@code false}</td></tr>
     * <tr><td>{@code segmentLength}</td><td>bytes; only for a journal that is created now: an existing one keeps its
     * length</td></tr>
     * <tr><td>{@code writeWindow}</td><td>bytes</td></tr>
     * </table>
     * The last call wins: the file replaces what was set before, and later calls replace what the file sets. The file
     * is read by this call, not when the journal is opened; it may have at most 64 KiB.
     *
     * @param file with the settings.
     * @return this builder.
     * @throws JournalSettingsException if the file is absent or unreadable, or has an unknown or duplicate key or a
     *                                  value that is not allowed; the message names it and what is allowed. No setting
     *                                  was changed.
     */
    public JournalBuilder settings(final Path file)
    {
        SettingsFile.apply(Objects.requireNonNull(file, "file"), this);
        return this;
    }

    /**
     * How bytes reach the files. The content is the same for all backends, so each opening may use another one.
     *
     * @param backend to use; {@link Backend#MAPPED} unless set.
     * @return this builder.
     */
    public JournalBuilder backend(final Backend backend)
    {
        this.backend = Objects.requireNonNull(backend, "backend");
        return this;
    }

    /**
     * Length of each segment file. A journal keeps the length it was created with; opening it with another one throws.
     * One segment is prepared ahead, so even an empty journal takes twice the length.
     *
     * @param segmentLength in bytes, a power of two from {@link #MIN_SEGMENT_LENGTH} to {@link #MAX_SEGMENT_LENGTH};
     *                      {@link #DEFAULT_SEGMENT_LENGTH} for a new journal unless set.
     * @return this builder.
     * @throws IllegalArgumentException if the length is not allowed.
     */
    public JournalBuilder segmentLength(final int segmentLength)
    {
        this.segmentLength = checkSegmentLength(segmentLength);
        return this;
    }

    /**
     * As {@link #segmentLength(int)}, but an existing journal is opened with its own length.
     */
    JournalBuilder newSegmentLength(final int segmentLength)
    {
        newSegmentLength = checkSegmentLength(segmentLength);
        this.segmentLength = 0;
        return this;
    }

    /**
     * Buffers records in memory before they are written, on backends that write; a mapped journal needs no buffer.
     * <p>
     * With 0, the default, each record is written before append returns. Otherwise records are written when the window
     * is full, when they are forced, when a reader of this journal asks for them, and by the background agent a few
     * milliseconds later; until then a crash of this process loses them.
     *
     * @param length of the window in bytes, 0 to {@link #MAX_WRITE_WINDOW}.
     * @return this builder.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public JournalBuilder writeWindow(final int length)
    {
        if (length < 0 || length > MAX_WRITE_WINDOW)
        {
            throw new IllegalArgumentException(
                "write window must be from 0 to " + MAX_WRITE_WINDOW + ": length=" + length);
        }

        writeWindow = length;
        return this;
    }

    /**
     * Limits the length of records; longer ones are refused.
     *
     * @param length of the longest record in bytes; unless set lower, what fits an empty segment, and at most 16 MiB.
     * @return this builder.
     * @throws IllegalArgumentException if the length is out of range.
     */
    public JournalBuilder maxRecordLength(final int length)
    {
        if (length < 0 || length > FrameHeader.MAX_RECORD_LENGTH)
        {
            throw new IllegalArgumentException(
                "record length must be from 0 to " + FrameHeader.MAX_RECORD_LENGTH + ": length=" + length);
        }

        maxRecordLength = length;
        return this;
    }

    /**
     * When the journal forces records without an explicit call. May differ from one opening to the next.
     *
     * @param policy to use; {@link ForcePolicy#manual()} unless set.
     * @return this builder.
     */
    public JournalBuilder force(final ForcePolicy policy)
    {
        forcePolicy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * How much history is kept. May differ from one opening to the next.
     *
     * @param retention to use; {@link Retention#none()} unless set.
     * @return this builder.
     */
    public JournalBuilder retention(final Retention retention)
    {
        this.retention = Objects.requireNonNull(retention, "retention");
        return this;
    }

    /**
     * Whether files of pruned segments are reused for new ones, instead of deleting them and filling new files with
     * zeros. Reuse halves the bytes written; it keeps a few spare files.
     *
     * @param isRecycling false unless set.
     * @return this builder.
     */
    public JournalBuilder recycleSegments(final boolean isRecycling)
    {
        this.isRecycling = isRecycling;
        return this;
    }

    /**
     * Whether the journal has a thread for the background agent, which prepares segments, makes the forces that a
     * {@link ForcePolicy} leaves to it, applies {@link Retention} and notifies durability listeners. If no thread runs
     * the agent, the appending thread creates segments itself, but no force of {@link ForcePolicy#every} is made,
     * nothing is pruned and no listener is called: {@link Journal#awaitForced(long)} under that policy then waits until
     * another thread calls {@link Journal#force()} or closes the journal.
     *
     * @param isThreaded true, the default, for a daemon thread of the journal's own; false if the caller invokes
     *                   {@link Journal#backgroundAgent()} repeatedly.
     * @return this builder.
     */
    public JournalBuilder backgroundThread(final boolean isThreaded)
    {
        isBackgroundThreaded = isThreaded;
        return this;
    }

    /**
     * Handler for errors in the background. Threads that append or force also get an exception.
     *
     * @param errorHandler called on the background agent's thread; for corrupt snapshots, on the thread that uses
     *                     {@link Journal#snapshots()}. Unless set, it logs through {@link System.Logger}.
     * @return this builder.
     */
    public JournalBuilder errorHandler(final ErrorHandler errorHandler)
    {
        this.errorHandler = Objects.requireNonNull(errorHandler, "errorHandler");
        return this;
    }

    /**
     * The clock for the timestamps of watermark frames.
     *
     * @param clock in milliseconds since 1970-01-01 UTC; the system's unless set.
     * @return this builder.
     */
    public JournalBuilder clock(final EpochClock clock)
    {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /**
     * Files to use instead of the backend's, such as ones that inject faults.
     *
     * @param store of the journal's directory.
     * @return this builder.
     */
    public JournalBuilder store(final SegmentStore store)
    {
        this.store = Objects.requireNonNull(store, "store");
        return this;
    }

    JournalBuilder randoms(final LongSupplier randoms)
    {
        this.randoms = randoms;
        return this;
    }

    /**
     * Opens the journal. Creates it if absent; recovers it if its last writer did not close it.
     *
     * @return the journal, open for appending and reading.
     * @throws IllegalArgumentException   if the path is not a directory or the segment length differs from the
     *                                    journal's.
     * @throws JournalLockedException     if another writer has it open.
     * @throws CorruptJournalException    if durable data is damaged or missing, or the files are not a journal.
     * @throws JournalFullException       if there is no space for what opening has to write.
     * @throws JournalException           if the journal was written in a newer format, or the files cannot be read or
     *                                    written. After any of these exceptions no record was changed, and the journal
     *                                    can be opened again.
     */
    public Journal open()
    {
        return Journal.open(this);
    }

    /**
     * The settings as text, for a log.
     */
    @Override
    public String toString()
    {
        return "JournalBuilder{path=" + path +
            ", backend=" + backend +
            ", segmentLength=" + (0 == segmentLength ? newSegmentLength + " if new" : segmentLength) +
            ", writeWindow=" + writeWindow +
            ", maxRecordLength=" + maxRecordLength +
            ", force=" + forcePolicy +
            ", retention=" + retention +
            ", recycleSegments=" + isRecycling +
            ", backgroundThread=" + isBackgroundThreaded + '}';
    }

    Path path()
    {
        return path;
    }

    Backend backend()
    {
        return backend;
    }

    int segmentLength()
    {
        return segmentLength;
    }

    /**
     * Segment length if the journal is created.
     */
    int newSegmentLength()
    {
        return 0 == segmentLength ? newSegmentLength : segmentLength;
    }

    int writeWindow()
    {
        return writeWindow;
    }

    int maxRecordLength()
    {
        return maxRecordLength;
    }

    ForcePolicy forcePolicy()
    {
        return forcePolicy;
    }

    Retention retention()
    {
        return retention;
    }

    boolean isRecycling()
    {
        return isRecycling;
    }

    boolean isBackgroundThreaded()
    {
        return isBackgroundThreaded;
    }

    ErrorHandler errorHandler()
    {
        return errorHandler;
    }

    EpochClock clock()
    {
        return clock;
    }

    LongSupplier randoms()
    {
        return randoms;
    }

    SegmentStore store()
    {
        return null == store ? backend.store(path) : store;
    }

    private static int checkSegmentLength(final int segmentLength)
    {
        if (segmentLength < MIN_SEGMENT_LENGTH || segmentLength > MAX_SEGMENT_LENGTH ||
            1 != Integer.bitCount(segmentLength))
        {
            throw new IllegalArgumentException(
                "segment length must be a power of two from " + MIN_SEGMENT_LENGTH + " to " + MAX_SEGMENT_LENGTH +
                    ": segmentLength=" + segmentLength);
        }

        return segmentLength;
    }

    private static void log(final Throwable error)
    {
        System.getLogger(Journal.class.getName()).log(System.Logger.Level.WARNING, "journal in the background", error);
    }
}
