package io.journal.internal;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.LongSupplier;

import io.journal.ForcePolicy;
import io.journal.Retention;
import io.journal.internal.format.FrameHeader;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;

/**
 * What a journal is opened with. The builder checks and sets the values; the engine reads each once, while it opens.
 */
public final class Settings
{
    public static final int DEFAULT_SEGMENT_LENGTH = 64 * 1024 * 1024;

    public final Path path;
    public Backend backend = Backend.MAPPED;
    /** Instead of the backend's, or null. */
    public SegmentStore store;
    /** Of the journal, or 0 for the length that it has. */
    public int segmentLength;
    /** Of a journal that is created while {@link #segmentLength} is 0. */
    public int newSegmentLength = DEFAULT_SEGMENT_LENGTH;
    public int writeWindow;
    public int maxRecordLength = FrameHeader.MAX_RECORD_LENGTH;
    public ForcePolicy forcePolicy = ForcePolicy.manual();
    public Retention retention = Retention.none();
    public boolean isRecycling;
    public boolean isBackgroundThreaded = true;
    public ErrorHandler errorHandler = Settings::log;
    public EpochClock clock = SystemEpochClock.INSTANCE;
    public LongSupplier randoms = new SecureRandom()::nextLong;

    public Settings(final Path path)
    {
        this.path = path;
    }

    SegmentStore store()
    {
        return null == store ? backend.store(path) : store;
    }

    public int newSegmentLength()
    {
        return 0 == segmentLength ? newSegmentLength : segmentLength;
    }

    private static void log(final Throwable error)
    {
        // The logger of the class Journal, a name that users know.
        System.getLogger("io.journal.Journal").log(System.Logger.Level.WARNING, "journal in the background", error);
    }
}
