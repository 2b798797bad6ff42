package io.journal.tools;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * Ways to destroy the file of a cursor, by the layout in {@code docs/format.md}.
 */
final class CursorFiles
{
    private static final int BLOCK_LENGTH = 4096;
    private static final int CHECKSUM_OFFSET = BLOCK_LENGTH - 4;

    private CursorFiles()
    {
    }

    /** What can happen to the file of a cursor, after which the journal opens, and its consumer cannot continue. */
    enum Harm
    {
        EMPTY(0, "12288 bytes", "0 bytes"),
        SHORTER(0, "12288 bytes", "12287 bytes"),
        LONGER(0, "12288 bytes", "12289 bytes"),
        ZEROS(0, "JRNLCURS", "0x0000000000000000"),
        GARBAGE(0, "JRNLCURS", "0x"),
        BAD_HEADER(CHECKSUM_OFFSET, "", ""),
        NO_VALID_SLOT(BLOCK_LENGTH, "a valid checksum", "none"),
        OTHER_JOURNAL(32, "journal ", "journal 00000000-0000-0000-0000-000000000001"),
        OTHER_CURSOR(48, "the name of the file", "another name"),
        OTHER_HISTORY(2 * BLOCK_LENGTH + 8, "term ", "term 1"),
        IMPOSSIBLE_SEQUENCE(2 * BLOCK_LENGTH, "a possible place", "generation 9, term 0, sequence -5"),
        DIRECTORY(0, "a regular file", "something else"),
        LINK(0, "a regular file", "something else"),
        NEWER_VERSION(8, "2", "3"),
        NEWER_FEATURE(0, "a format this version knows", "unknown features");

        final long offset;
        final String expected;
        final String found;

        Harm(final long offset, final String expected, final String found)
        {
            this.offset = offset;
            this.expected = expected;
            this.found = found;
        }

        boolean isNewer()
        {
            return NEWER_VERSION == this || NEWER_FEATURE == this;
        }

        void apply(final Path file, final Path otherCursor) throws IOException
        {
            final byte[] bytes = Files.readAllBytes(file);
            switch (this)
            {
                case EMPTY:
                    Files.write(file, new byte[0]);
                    break;

                case SHORTER:
                    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
                    break;

                case LONGER:
                    Files.write(file, Arrays.copyOf(bytes, bytes.length + 1));
                    break;

                case ZEROS:
                    Files.write(file, new byte[bytes.length]);
                    break;

                case GARBAGE:
                    new Random(7).nextBytes(bytes);
                    Files.write(file, bytes);
                    break;

                case BAD_HEADER:
                    bytes[1000] ^= 1;
                    Files.write(file, bytes);
                    break;

                case NO_VALID_SLOT:
                    bytes[BLOCK_LENGTH + 100] ^= 1;
                    bytes[2 * BLOCK_LENGTH + 100] ^= 1;
                    Files.write(file, bytes);
                    break;

                case OTHER_JOURNAL:
                    Arrays.fill(bytes, 32, 47, (byte)0);
                    bytes[47] = 1;
                    Files.write(file, sealed(bytes, 0));
                    break;

                case OTHER_CURSOR:
                    Files.write(file, Files.readAllBytes(otherCursor));
                    break;

                case OTHER_HISTORY:
                    writePlace(file, 9, 1, 3);
                    break;

                case IMPOSSIBLE_SEQUENCE:
                    writePlace(file, 9, 0, -5);
                    break;

                case DIRECTORY:
                    Files.delete(file);
                    Files.createDirectory(file);
                    break;

                case LINK:
                    Files.move(file, file.resolveSibling("elsewhere"));
                    Files.createSymbolicLink(file, file.resolveSibling("elsewhere"));
                    break;

                case NEWER_VERSION:
                    bytes[8] = 3;
                    Files.write(file, bytes);
                    break;

                default:
                    bytes[24] = 1;
                    Files.write(file, sealed(bytes, 0));
                    break;
            }
        }
    }

    /**
     * Writes a valid slot, the newest if its generation is the highest.
     */
    static void writePlace(final Path file, final long generation, final long epoch, final long sequence)
        throws IOException
    {
        final byte[] bytes = Files.readAllBytes(file);
        final int start = (int)(1 + (generation & 1)) * BLOCK_LENGTH;
        Arrays.fill(bytes, start, start + BLOCK_LENGTH, (byte)0);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(start, generation).putLong(start + 8, epoch).putLong(start + 16, sequence);
        Files.write(file, sealed(bytes, start));
    }

    private static byte[] sealed(final byte[] bytes, final int start)
    {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, start, CHECKSUM_OFFSET);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(start + CHECKSUM_OFFSET, (int)crc.getValue());
        return bytes;
    }
}
