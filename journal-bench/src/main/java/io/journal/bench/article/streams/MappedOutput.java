package io.journal.bench.article.streams;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;

/**
 * A file that is mapped piece by piece, as its length asks for, and written through memory.
 */
final class MappedOutput implements Output
{
    private static final long PIECE_LENGTH = 1 << 30;

    private final FileChannel channel;
    private final long length;
    private final List<MappedByteBuffer> pieces = new ArrayList<>();
    private MappedByteBuffer piece;
    private long endPosition;

    MappedOutput(final FileChannel channel, final long length) throws IOException
    {
        this.channel = channel;
        this.length = length;
        nextPiece();
    }

    @Override
    public void write(final byte next) throws IOException
    {
        if (!piece.hasRemaining())
        {
            nextPiece();
        }
        piece.put(next);
    }

    @Override
    public void write(final byte[] source, final int offset, final int count) throws IOException
    {
        final int fitting = Math.min(count, piece.remaining());
        piece.put(source, offset, fitting);
        if (fitting < count)
        {
            nextPiece();
            piece.put(source, offset + fitting, count - fitting);
        }
    }

    @Override
    public void force() throws IOException
    {
        pieces.forEach(MappedByteBuffer::force);
        // The file's length as well.
        channel.force(true);
    }

    @Override
    public void close() throws IOException
    {
        channel.close();
    }

    private void nextPiece() throws IOException
    {
        final long pieceLength = Math.min(PIECE_LENGTH, length - endPosition);
        piece = channel.map(MapMode.READ_WRITE, endPosition, pieceLength);
        pieces.add(piece);
        endPosition += pieceLength;
    }
}
