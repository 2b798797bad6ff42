package io.journal.internal.recover;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Layout;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The segments of a journal, as recovery reads them: by positional reads on every backend, since an access to a mapping
 * of a damaged or shortened file could crash the JVM.
 */
final class Segments
{
    static final int READ_LENGTH = 256 * 1024;

    final SegmentStore store;
    final Layout layout;
    private final JournalMeta meta;
    private final boolean forWriting;

    Segments(final SegmentStore store, final JournalMeta meta, final boolean forWriting)
    {
        this.store = store;
        this.meta = meta;
        this.forWriting = forWriting;
        layout = new Layout(meta.segmentLength);
    }

    Segment open(final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, forWriting, meta.uuid, ordinal, meta.segmentLength);
    }

    /**
     * A cursor that reads pieces of the given length, for one segment after another.
     */
    FrameCursor cursor(final int length)
    {
        return new FrameCursor(Window.copying(store, Math.min(length, meta.segmentLength)));
    }

    /** Copies bytes from one file to another, or rewrites those of a file. */
    void copy(
        final SegmentFile source, final int sourceOffset, final SegmentFile target, final int targetOffset,
        final int length) throws IOException
    {
        final ByteBuffer buffer = Window.copying(store, Math.min(length, READ_LENGTH)).buffer();
        for (int done = 0; done < length; done += buffer.capacity())
        {
            buffer.clear().limit(Math.min(buffer.capacity(), length - done));
            source.read(sourceOffset + done, buffer);
            target.write(targetOffset + done, buffer.flip());
        }
    }
}
