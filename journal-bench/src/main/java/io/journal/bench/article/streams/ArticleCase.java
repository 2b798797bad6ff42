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

    private final String originalName;
    private final FileStrategy fairStrategy;
    private final Function<ArticleProgram.LineFile, ArticleProgram> program;

    ArticleCase(
        final String originalName,
        final FileStrategy fairStrategy,
        final Function<ArticleProgram.LineFile, ArticleProgram> program)
    {
        this.originalName = originalName;
        this.fairStrategy = fairStrategy;
        this.program = program;
    }

    /** Name in the original's output. */
    String originalName()
    {
        return originalName;
    }

    boolean isGenerator()
    {
        return name().endsWith("Gen");
    }

    /** The same API without the weaknesses. */
    FileStrategy fairStrategy()
    {
        return fairStrategy;
    }

    /** Whether it allocates a buffer; the article claims that the first allocation takes longer. */
    boolean isAllocating()
    {
        return name().contains("irect");
    }

    /** The original's program, one for all repeats. */
    ArticleProgram program(final ArticleProgram.LineFile file)
    {
        return program.apply(file);
    }
}
