// SPDX-License-Identifier: Apache-2.0
package io.journal.internal;

import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

import io.journal.ForcePolicy;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.internal.control.ControlContent;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.observe.Log;
import io.journal.internal.platform.Descriptors;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Settings that a journal is opened with. The builder checks and sets the values; the engine reads each once, while it
 * opens.
 */
public final class Settings
{
    public static final int DEFAULT_SEGMENT_LENGTH = 64 * 1024 * 1024;
    public static final int MAX_WRITE_WINDOW = 64 * 1024 * 1024;
    private static final int DEFAULT_DIRECT_WINDOW = 64 * 1024;

    public final Path path;
    public Backend backend = Backend.MAPPED;
    /** Store instead of the backend's, or null. */
    public SegmentStore store;
    /** Segment length of the journal, or 0 for its existing length. */
    public int segmentLength;
    /** Segment length of a journal that is created while {@link #segmentLength} is 0. */
    public int newSegmentLength = DEFAULT_SEGMENT_LENGTH;
    /** Length of the write window, or negative for the backend's default, see {@link #writeWindow()}. */
    public int writeWindow = -1;
    public int maxRecordLength = FrameHeader.MAX_RECORD_LENGTH;
    public ForcePolicy forcePolicy = ForcePolicy.manual();
    public Retention retention = Retention.none();
    public boolean isRecycling;
    public JournalReader.Verification verification = JournalReader.Verification.ALWAYS;
    public boolean isBackgroundThreaded = true;
    /** The error handler, or null for the log. */
    public ErrorHandler errorHandler;
    /** The name, or null for the path. */
    public String name;
    public EpochClock clock = SystemEpochClock.INSTANCE;
    public LongSupplier randoms = Descriptors::secureRandom;
    /** Terms need not be secret. Secure random numbers would load many classes, and a file, before the first record. */
    public LongSupplier terms = () -> ThreadLocalRandom.current().nextLong();

    public Settings(final Path path)
    {
        this.path = path;
    }

    public static int checkSegmentLength(final int length)
    {
        if (!ControlContent.isSegmentLength(length))
        {
            throw new IllegalArgumentException(
                "segment length must be a power of two from " + Layout.MIN_SEGMENT_LENGTH + " to " +
                    Layout.MAX_SEGMENT_LENGTH + ": segmentLength=" + length);
        }
        return length;
    }

    public static int checkWriteWindow(final int length)
    {
        if (length < 0 || length > MAX_WRITE_WINDOW)
        {
            throw new IllegalArgumentException(
                "write window must be from 0 to " + MAX_WRITE_WINDOW + ": length=" + length);
        }
        return length;
    }

    SegmentStore store()
    {
        return null == store ? backend.store(path) : store;
    }

    public int newSegmentLength()
    {
        return 0 == segmentLength ? newSegmentLength : segmentLength;
    }

    /**
     * Length of the write window. Not 0 by default with direct I/O, so that records share writes, which wait for the
     * device.
     */
    public int writeWindow()
    {
        return writeWindow >= 0 ? writeWindow : Backend.DIRECT == backend ? DEFAULT_DIRECT_WINDOW : 0;
    }

    /** The name that distinguishes the journal from others in the process. */
    public String name()
    {
        return null == name ? path.toString() : name;
    }

    ErrorHandler errorHandler()
    {
        final String journal = name();
        return null != errorHandler ? errorHandler :
            (error) -> Log.warn("journal in the background: journal=" + journal, error);
    }
}
