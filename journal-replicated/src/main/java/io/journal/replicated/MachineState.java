package io.journal.replicated;

import java.nio.ByteBuffer;

import io.journal.JournalException;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * What a snapshot holds: the state of a {@link JournalMachine} besides the journal. Only the machine uses it.
 */
final class MachineState
{
    private static final int VERSION = 1;
    private static final int LENGTH = Integer.BYTES * 2 + Long.BYTES * 4;

    long epoch;
    long writerIdHigh;
    long writerIdLow;
    long lastSequence;

    byte[] encode()
    {
        final ByteBuffer buffer = ByteBuffer.allocate(LENGTH).order(LITTLE_ENDIAN);
        buffer.putInt(VERSION).putInt(0);
        buffer.putLong(epoch).putLong(writerIdHigh).putLong(writerIdLow).putLong(lastSequence);
        return buffer.array();
    }

    void decode(final byte[] snapshot)
    {
        final ByteBuffer buffer = ByteBuffer.wrap(snapshot).order(LITTLE_ENDIAN);
        final int version = snapshot.length < Integer.BYTES ? 0 : buffer.getInt();
        if (VERSION != version || snapshot.length < LENGTH)
        {
            throw new JournalException(
                "snapshot of another version: version=" + version + ", expected=" + VERSION + ", length=" +
                    snapshot.length + "; run the version of the library that took it");
        }

        buffer.getInt();
        epoch = buffer.getLong();
        writerIdHigh = buffer.getLong();
        writerIdLow = buffer.getLong();
        lastSequence = buffer.getLong();
    }
}
