package io.journal;

import java.util.Spliterators;
import java.util.function.Consumer;

/**
 * Copies of the records from a reader's position to an end fixed in advance.
 */
final class RecordSpliterator extends Spliterators.AbstractSpliterator<JournalReader.Entry>
{
    private final JournalReader reader;
    private final long lastSequence;

    RecordSpliterator(final JournalReader reader, final long lastSequence)
    {
        super(Long.MAX_VALUE, ORDERED | NONNULL | IMMUTABLE);
        this.reader = reader;
        this.lastSequence = lastSequence;
    }

    @Override
    public boolean tryAdvance(final Consumer<? super JournalReader.Entry> action)
    {
        while (reader.nextSequence() <= lastSequence)
        {
            final int count = reader.poll(
                (buffer, offset, length, header) ->
                {
                    final byte[] bytes = new byte[length];
                    buffer.getBytes(offset, bytes);
                    action.accept(new JournalReader.Entry(header.sequence(), header.tag(), bytes));
                },
                1);
            if (count > 0)
            {
                return true;
            }
            if (!reader.isReadableOnceReleased())
            {
                return false;
            }
        }

        return false;
    }
}
