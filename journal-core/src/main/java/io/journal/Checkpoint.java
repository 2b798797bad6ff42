// SPDX-License-Identifier: Apache-2.0
package io.journal;

/**
 * The last record that a consumer has processed, as a value that the consumer keeps where the effect of its work is: in
 * the same transaction of a database, or in the same file. So the effect and the position are never apart, and each
 * record takes effect exactly once, also after a crash.
 * <p>
 * {@link JournalReader#checkpoint()} returns it, and {@link Journal#openReader(Checkpoint) openReader(Checkpoint)} of
 * {@link Journal} and {@link ReadOnlyJournal} continues after it, in any process. The journal does not know the
 * checkpoint: retention does not wait for the consumer, unless a {@link JournalCursor} is saved for it, and a
 * truncation does not move the checkpoint back. Instead the reader's state shows a prune or truncation that the
 * checkpoint has missed. A sequence alone would not show that, since a sequence is used again after a truncation;
 * together with its term it identifies a record for good.
 *
 * @param term     of the record: a random number that each opening for writing and each truncation replaces. 0 for
 *                 sequence 0, and if corruption hid it: the record is then not compared.
 * @param sequence of the record; 0 before the first one.
 */
public record Checkpoint(long term, long sequence)
{
    /** Before the first record that was ever appended: nothing is processed. */
    public static final Checkpoint START = new Checkpoint(0, 0);

    private static final char SEPARATOR = '@';
    private static final int RADIX = 16;

    /**
     * A checkpoint of stored values.
     *
     * @param term     of the record.
     * @param sequence of the record.
     * @throws IllegalArgumentException if the sequence is negative, or it is 0 and has a term.
     */
    public Checkpoint
    {
        if (sequence < 0 || 0 == sequence && 0 != term)
        {
            throw new IllegalArgumentException("not a checkpoint: term=" + term + ", sequence=" + sequence);
        }
    }

    /**
     * {@return the checkpoint of a text that {@link #toString()} has returned}
     *
     * @param text such as {@code 63785@2f1c9e0a77b3d415}.
     * @throws IllegalArgumentException if it is another text.
     */
    public static Checkpoint parse(final String text)
    {
        final int separator = text.indexOf(SEPARATOR);
        try
        {
            final Checkpoint checkpoint = new Checkpoint(
                Long.parseUnsignedLong(text.substring(separator + 1), RADIX),
                Long.parseLong(text.substring(0, Math.max(0, separator))));
            if (checkpoint.toString().equals(text))
            {
                return checkpoint;
            }
        }
        catch (final IllegalArgumentException ignore)
        {
            // Reported below, with the whole text.
        }

        throw new IllegalArgumentException("not a checkpoint: text=" + text + ", expected=<sequence>@<term>");
    }

    /** {@return the sequence, an at sign and the term in hexadecimal digits: at most 36 ASCII characters} */
    @Override
    public String toString()
    {
        return Long.toString(sequence) + SEPARATOR + Long.toHexString(term);
    }
}
