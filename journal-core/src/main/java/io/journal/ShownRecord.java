package io.journal;

import io.journal.internal.buffer.ByteBufferView;
import io.journal.internal.read.FoundRecord;

/**
 * What a handler is given of a record: the same objects for each one. For one thread at a time.
 */
final class ShownRecord
{
    final ByteBufferView view = new ByteBufferView();
    final RecordHandler.Header header = new RecordHandler.Header();

    void show(final FoundRecord record)
    {
        view.wrap(record.buffer(), record.index(), record.length());
        header.set(record.sequence(), record.tag(), record.position());
    }

    /** A handler that keeps the view beyond the call finds it empty: its memory may have been released by then. */
    void hide()
    {
        view.wrap(view, 0, 0);
    }
}
