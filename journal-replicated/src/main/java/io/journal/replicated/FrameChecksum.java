// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.zip.CRC32C;

import io.aeron.archive.checksum.Checksum;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * CRC-32C of the bytes after the header of a recorded frame. Aeron's own class needs another flag of the JVM. For the
 * thread of the archive.
 */
final class FrameChecksum implements Checksum
{
    private static final int CHUNK = 4096;

    private final CRC32C crc = new CRC32C();
    private final UnsafeBuffer memory = new UnsafeBuffer(0, 0);
    private final byte[] chunk = new byte[CHUNK];

    @Override
    public int compute(final long address, final int offset, final int length)
    {
        crc.reset();
        memory.wrap(address + offset, length);
        for (int i = 0; i < length; i += CHUNK)
        {
            final int count = Math.min(CHUNK, length - i);
            memory.getBytes(i, chunk, 0, count);
            crc.update(chunk, 0, count);
        }

        return (int)crc.getValue();
    }
}
