package io.journal.bench.article.streams;

import java.nio.ByteBuffer;
import java.util.function.Function;

import io.journal.bench.article.FileStrategy;

/**
 * The original's eight cases, in its order.
 */
enum ArticleCase
{
    DirectGen("DirectByteBufferGenerator", FileStrategy.CHANNEL_DIRECT,
        (file) -> new ArticleProgram.BufferGenerator(file, ByteBuffer::allocateDirect)),

    DirectIn("DirectByteBufferInput", FileStrategy.CHANNEL_DIRECT,
        (file) -> new ArticleProgram.BufferInput(file, ByteBuffer::allocateDirect)),

    StreamsGen("StreamsBasedGenerator", FileStrategy.BUFFERED_STREAM, ArticleProgram.StreamGenerator::new),

    StreamsIn("StreamsBasedInput", FileStrategy.BUFFERED_STREAM, ArticleProgram.StreamInput::new),

    IndirectGen("IndirectByteBufferGenerator", FileStrategy.CHANNEL_HEAP_COPY,
        (file) -> new ArticleProgram.BufferGenerator(file, ByteBuffer::allocate)),

    IndirectIn("IndirectByteBufferInput", FileStrategy.CHANNEL_HEAP_COPY,
        (file) -> new ArticleProgram.BufferInput(file, ByteBuffer::allocate)),

    MmapGen("MemoryMappedGenerator", FileStrategy.MAPPED, ArticleProgram.MappedGenerator::new),

    MmapIn("MemoryMappedInput", FileStrategy.MAPPED, ArticleProgram.MappedInput::new);

    /** Name in the original's output. */
    final String originalName;

    /** The same API without the weaknesses. */
    final FileStrategy fairStrategy;

    /** The original's program, one for all repeats. */
    final Function<ArticleProgram.LineFile, ArticleProgram> program;

    ArticleCase(
        final String originalName,
        final FileStrategy fairStrategy,
        final Function<ArticleProgram.LineFile, ArticleProgram> program)
    {
        this.originalName = originalName;
        this.fairStrategy = fairStrategy;
        this.program = program;
    }

    boolean isGenerator()
    {
        return name().endsWith("Gen");
    }

    /** Whether it allocates a buffer; the article claims that the first allocation takes longer. */
    boolean isAllocating()
    {
        return name().contains("irect");
    }
}
