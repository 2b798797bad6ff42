package io.journal.bench.article.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * A file that is mapped piece by piece and read through memory.
 */
final class MappedInput implements Input
{
    private static final long PIECE_LENGTH = 1 << 30;

    private final FileChannel channel;
    private final long length;
    private ByteBuffer piece = ByteBuffer.allocate(0);
    private long endPosition;

    MappedInput(final FileChannel channel) throws IOException
    {
        this.channel = channel;
        this.length = channel.size();
    }

    @Override
    public int read() throws IOException
    {
        return piece.hasRemaining() || nextPiece() ? piece.get() & 0xFF : -1;
    }

    @Override
    public int read(final byte[] target) throws IOException
    {
        if (!piece.hasRemaining() && !nextPiece())
        {
            return -1;
        }

        final int count = Math.min(target.length, piece.remaining());
        piece.get(target, 0, count);
        return count;
    }

    @Override
    public void close() throws IOException
    {
        channel.close();
    }

    private boolean nextPiece() throws IOException
    {
        final long pieceLength = Math.min(PIECE_LENGTH, length - endPosition);
        if (0 == pieceLength)
        {
            return false;
        }

        piece = channel.map(MapMode.READ_ONLY, endPosition, pieceLength);
        endPosition += pieceLength;
        return true;
    }
}
