// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.ByteBuffer;

import io.journal.JournalException;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * The contents of a snapshot: the state of a {@link JournalMachine} besides the journal. Only the machine uses it.
 */
final class MachineState
{
    private static final int VERSION = 3;
    private static final int LENGTH = Integer.BYTES * 3 + Long.BYTES * 5;

    long epoch;
    long writerId;
    long lastSequence;
    // The limit of the leader; no writer was granted a higher limit.
    int maxRecordLength;
    // Records before this sequence may be dropped.
    long prunedSequence;
    // The position in the log, in bytes, at which the snapshot was taken.
    long logPosition;
    // The newest snapshot that each member has reported: its last sequence, and its position in the log in bytes.
    final long[] confirmedSequences;
    final long[] confirmedPositions;

    MachineState(final int members)
    {
        confirmedSequences = new long[members];
        confirmedPositions = new long[members];
    }

    byte[] encode()
    {
        final int members = confirmedSequences.length;
        final ByteBuffer buffer = ByteBuffer.allocate(LENGTH + 2 * Long.BYTES * members).order(LITTLE_ENDIAN);
        buffer.putInt(VERSION).putInt(members).putInt(maxRecordLength);
        buffer.putLong(epoch).putLong(writerId).putLong(lastSequence);
        buffer.putLong(prunedSequence).putLong(logPosition);
        for (int i = 0; i < members; i++)
        {
            buffer.putLong(confirmedSequences[i]).putLong(confirmedPositions[i]);
        }
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

        final int members = buffer.getInt();
        if (confirmedSequences.length != members)
        {
            throw new JournalException(
                "snapshot of another cluster: members=" + members + ", expected=" + confirmedSequences.length);
        }

        maxRecordLength = buffer.getInt();
        epoch = buffer.getLong();
        writerId = buffer.getLong();
        lastSequence = buffer.getLong();
        prunedSequence = buffer.getLong();
        logPosition = buffer.getLong();
        for (int i = 0; i < members; i++)
        {
            confirmedSequences[i] = buffer.getLong();
            confirmedPositions[i] = buffer.getLong();
        }
    }
}
