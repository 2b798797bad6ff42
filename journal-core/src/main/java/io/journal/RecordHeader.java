package io.journal;

/**
 * Metadata of a record. Valid during the call that it was passed to.
 */
public final class RecordHeader
{
    private long sequence;
    private long tag;
    private long position;

    RecordHeader()
    {
    }

    /**
     * The record's address.
     *
     * @return its number, from 1, without gaps.
     */
    public long sequence()
    {
        return sequence;
    }

    /**
     * The user's value stored with the record.
     *
     * @return the tag.
     */
    public long tag()
    {
        return tag;
    }

    /**
     * Where the record's frame begins, for diagnostics.
     *
     * @return position in bytes.
     */
    public long position()
    {
        return position;
    }

    void set(final long sequence, final long tag, final long position)
    {
        this.sequence = sequence;
        this.tag = tag;
        this.position = position;
    }
}
