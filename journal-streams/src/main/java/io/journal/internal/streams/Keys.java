// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.nio.ByteOrder;
import java.util.UUID;

import io.journal.JournalAppender;
import org.agrona.DirectBuffer;

/** Hashes of what events are found by, 64 bits. They are in the index files, so they never change. */
final class Keys
{
    static final long TYPE = 0x9E3779B97F4A7C15L;
    static final long TAG = 0xC2B2AE3D27D4EB4FL;
    private static final long ID = 0x165667B19E3779F9L;

    private Keys()
    {
    }

    static long type(final byte[] type)
    {
        return hash(JournalAppender.wrap(type), 0, type.length, TYPE);
    }

    static long tag(final byte[] tag)
    {
        return hash(JournalAppender.wrap(tag), 0, tag.length, TAG);
    }

    static long id(final UUID id)
    {
        return mix(mix(ID ^ id.getMostSignificantBits()) ^ id.getLeastSignificantBits());
    }

    static long hash(final DirectBuffer buffer, final int offset, final int length, final long seed)
    {
        long hash = mix(seed + length);
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES)
        {
            hash = mix(hash ^ buffer.getLong(offset + i, ByteOrder.LITTLE_ENDIAN));
        }
        long rest = 0;
        for (; i < length; i++)
        {
            rest = rest << Byte.SIZE | buffer.getByte(offset + i) & 0xFF;
        }

        return mix(hash ^ rest);
    }

    /** The finalizer of MurmurHash3: a bijection in which each bit changes about half of the others. */
    private static long mix(final long value)
    {
        long mixed = (value ^ value >>> 33) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CEB9FE1A85EC53L;
        return mixed ^ mixed >>> 33;
    }
}
