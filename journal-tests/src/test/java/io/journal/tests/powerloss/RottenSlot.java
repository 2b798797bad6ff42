// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.testkit.FaultStore;
import io.journal.tests.support.JournalDirectory;

/** Destroys the newest state of {@code journal.control} if the other slot has the previous state. */
final class RottenSlot
{
    private static final int LENGTH_OFFSET = 8;
    private static final int MIN_LENGTH = 140;

    private RottenSlot()
    {
    }

    /**
     * @return whether it was: both slots are valid, and the change of neither was in progress or had failed.
     */
    static boolean make(final FaultStore disk)
    {
        try
        {
            if (!disk.list().contains(JournalDirectory.CONTROL))
            {
                return false;
            }

            final ByteBuffer bytes = ByteBuffer.allocate(JournalDirectory.CONTROL_LENGTH);
            try (SegmentFile file = disk.open(JournalDirectory.CONTROL, SegmentStore.Access.READ))
            {
                file.read(0, bytes);
            }
            bytes.order(ByteOrder.LITTLE_ENDIAN);
            final int[] slots = JournalDirectory.STATE_SLOTS;
            if (!isValid(bytes, slots[0]) || !isValid(bytes, slots[1]) ||
                0 != bytes.getLong(JournalDirectory.CHANGING_OFFSET))
            {
                return false;
            }

            disk.flip(
                JournalDirectory.CONTROL,
                bytes.getLong(slots[0]) > bytes.getLong(slots[1]) ? slots[0] : slots[1], 0);
            return true;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static boolean isValid(final ByteBuffer bytes, final int slot)
    {
        final int length = bytes.getInt(slot + LENGTH_OFFSET);
        final int end = slot + length - Integer.BYTES;
        return length >= MIN_LENGTH && length <= JournalDirectory.STATE_SLOT_LENGTH &&
            JournalDirectory.crc(bytes.array(), slot, end) == bytes.getInt(end);
    }
}
