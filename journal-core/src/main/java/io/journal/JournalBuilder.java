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
 * Settings of a journal to be opened, each with a default that serves. Not safe for use by several threads.
 */
public final class JournalBuilder
{
    /** Length of the shortest segments, in bytes. */
    public static final int MIN_SEGMENT_LENGTH = Layout.MIN_SEGMENT_LENGTH;

    /** Length of the longest segments, in bytes. */
    public static final int MAX_SEGMENT_LENGTH = Layout.MAX_SEGMENT_LENGTH;

    /** Length of segments unless set, in bytes. */
    public static final int DEFAULT_SEGMENT_LENGTH = 64 * 1024 * 1024;

    /** Longest write window, in bytes. */
    public static final int MAX_WRITE_WINDOW = 64 * 1024 * 1024;

    private final Path path;
    private Backend backend = Backend.MAPPED;
    // 0: that of the journal, or the new one's where there is none.
    private int segmentLength;
    private int newSegmentLength = DEFAULT_SEGMENT_LENGTH;
    private int writeWindow;
    private int maxRecordLength = FrameHeader.MAX_RECORD_LENGTH;
    private ForcePolicy forcePolicy = ForcePolicy.manual();
    private Retention retention = Retention.none();
    private boolean isRecycling;
    private boolean isCompanionThreaded = true;
    private ErrorHandler errorHandler = JournalBuilder::log;
    private EpochClock clock = SystemEpochClock.INSTANCE;
    private LongSupplier randoms = new SecureRandom()::nextLong;
    private SegmentStore store;

    JournalBuilder(final Path path)
    {
        this.path = Objects.requireNonNull(path, "path");
    }

    /**
     * Takes settings from a file of properties in UTF-8, such as one that the benchmarks' {@code recommend} wrote for
     * the machine and the disk that the journal is on.
     * <p>
     * Each key is named as the method it stands for; all are optional, and there are no others:
     * <table>
     * <caption>Keys and their values</caption>
     * <tr><th>key</th><th>value</th></tr>
     * <tr><td>{@code backend}</td><td>name of a {@link Backend}</td></tr>
     * <tr><td>{@code force}</td><td>{@code manual}, {@code everyRecord}, or an interval such as {@code every 5 ms}, in
     * {@code us}, {@code ms} or {@code s}</td></tr>
     * <tr><td>{@code recycleSegments}</td><td>{@code true} or {@code false}</td></tr>
     * <tr><td>{@code segmentLength}</td><td>bytes; for a journal that is created now, since one that is there keeps
     * its length</td></tr>
     * <tr><td>{@code writeWindow}</td><td>bytes</td></tr>
     * </table>
     * What is called last counts: the file replaces what was set before, and calls behind this one replace what the
     * file says. The file is read now, at most 64 KiB of it, and not when the journal is opened.
     *
     * @param file of settings.
     * @return this builder.
     * @throws JournalSettingsException if the file is not there or cannot be read, or has a key that is not known or
     *                                  given twice, or a value that cannot be: named with the values that can. No
     *                                  setting was changed.
     */
    public JournalBuilder settings(final Path file)
    {
        SettingsFile.apply(Objects.requireNonNull(file, "file"), this);
        return this;
    }

    /**
     * How bytes reach the files. Does not change what is in them, so it may differ from one opening to the next.
     *
     * @param backend to be used; {@link Backend#MAPPED} unless set.
     * @return this builder.
     */
    public JournalBuilder backend(final Backend backend)
    {
        this.backend = Objects.requireNonNull(backend, "backend");
        return this;
    }

    /**
     * Length of each file. A journal keeps the length it was created with, and opening it with another one is refused.
     * One file is prepared ahead, so that even an empty journal takes twice the length.
     *
     * @param segmentLength in bytes, a power of two from {@link #MIN_SEGMENT_LENGTH} to {@link #MAX_SEGMENT_LENGTH};
     *                      {@link #DEFAULT_SEGMENT_LENGTH} for a new journal unless set.
     * @return this builder.
     * @throws IllegalArgumentException if the length cannot be.
     */
    public JournalBuilder segmentLength(final int segmentLength)
    {
        this.segmentLength = checkSegmentLength(segmentLength);
        return this;
    }

    /**
     * As {@link #segmentLength(int)}, but a journal that is there is opened with the length it has.
     */
    JournalBuilder newSegmentLength(final int segmentLength)
    {
        newSegmentLength = checkSegmentLength(segmentLength);
        this.segmentLength = 0;
        return this;
    }

    /**
     * Lets records gather in memory before they are written, on backends that write; a mapped journal has no need.
     * <p>
     * 0, the default, writes each record before append returns. Otherwise a record is written when the window is full,
     * when it is forced, when a reader of this journal asks for it, and by the background agent a few milliseconds
     * later: until then a crash of this process loses it.
     *
     * @param length of the window in bytes, 0 to {@link #MAX_WRITE_WINDOW}.
     * @return this builder.
     * @throws IllegalArgumentException if the length cannot be.
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
     * Refuses longer records.
     *
     * @param length of the longest record in bytes; what fits an empty segment, and at most 16 MiB, unless set lower.
     * @return this builder.
     * @throws IllegalArgumentException if the length cannot be.
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
     * When the journal is forced without being asked to. May differ from one opening to the next.
     *
     * @param policy to be used; {@link ForcePolicy#manual()} unless set.
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
     * @param retention to be used; {@link Retention#none()} unless set.
     * @return this builder.
     */
    public JournalBuilder retention(final Retention retention)
    {
        this.retention = Objects.requireNonNull(retention, "retention");
        return this;
    }

    /**
     * Whether files of pruned segments are used again for new ones, instead of being deleted and others filled with
     * zeros: half as much is written then. A few files more than needed are kept for it.
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
     * Who runs the background agent, which prepares segments, forces what a {@link ForcePolicy} leaves to it, applies
     * {@link Retention} and tells listeners what is forced. If nobody does, the appending thread makes segments
     * itself, but no force of {@link ForcePolicy#every} is made, nothing is dropped and no listener is called: who
     * waits for such a force in {@link Journal#awaitForced(long)} waits until somebody calls {@link Journal#force()}
     * or closes the journal.
     *
     * @param isThreaded true, the default, for a daemon thread of the journal's own; false if the caller invokes
     *                   {@link Journal#companion()} again and again.
     * @return this builder.
     */
    public JournalBuilder companionThread(final boolean isThreaded)
    {
        isCompanionThreaded = isThreaded;
        return this;
    }

    /**
     * Who is told what fails in the background. Whoever appends or forces is told as well, by an exception.
     *
     * @param errorHandler called on the background agent's thread, and of corrupt snapshots on the one that uses
     *                     {@link Journal#snapshots()}; logs by {@link System.Logger} unless set.
     * @return this builder.
     */
    public JournalBuilder errorHandler(final ErrorHandler errorHandler)
    {
        this.errorHandler = Objects.requireNonNull(errorHandler, "errorHandler");
        return this;
    }

    /**
     * The clock whose time is put into marks.
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
     * Files to be used instead of the backend's, such as ones that fail on purpose.
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
     * Opens the journal, creates it if there is none, and recovers it if its last writer did not close it.
     *
     * @return the journal, open for appending and reading.
     * @throws IllegalArgumentException   if the path is no directory or the segment length is not that of the journal.
     * @throws JournalLockedException     if another writer has it open.
     * @throws CorruptJournalException    if something that was forced is damaged or gone, or the files are no journal.
     * @throws UnsupportedFormatException if the journal was written in a newer format.
     * @throws JournalFullException       if there is no space for what opening has to write.
     * @throws JournalException           if the files cannot be read or written. In all these cases no record is
     *                                    changed, and the journal can be opened again.
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
            ", companionThread=" + isCompanionThreaded + '}';
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
     * Length for a journal that is created.
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

    boolean isCompanionThreaded()
    {
        return isCompanionThreaded;
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
