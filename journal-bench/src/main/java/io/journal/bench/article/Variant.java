package io.journal.bench.article;

import java.util.List;

/**
 * What the article's procedure is run with, and how it is printed.
 */
enum Variant
{
    /** The article: four cases, five times each. */
    ARTICLE,

    /** A comment's: beside each case that puts bytes one by one, the same array of a page. */
    ARRAYS,

    /** A comment's: a call of the system for each byte beside one for each page; once, since it takes long. */
    BYTES,

    /** A comment's: pages of several lengths, once each, with processor time, which the comment did not have. */
    PAGES,

    /** A comment's: ways that only write, three times each, in two columns. */
    WRITES;

    private static final int ARTICLE_ITERATIONS = 5;
    private static final int WRITES_ITERATIONS = 3;

    List<OriginalCase> cases()
    {
        switch (this)
        {
            case ARRAYS:
                return List.of(
                    OriginalCase.RandomAccessFile, OriginalCase.BufferedStreamFile, OriginalCase.BufferedStreamFile2,
                    OriginalCase.BufferedChannelFile, OriginalCase.BufferedChannelFile2, OriginalCase.MemoryMappedFile,
                    OriginalCase.MemoryMappedFile2);

            case BYTES:
                return List.of(OriginalCase.RandomAccessFile, OriginalCase.RandomAccessFileByte);

            default:
                return List.of(
                    OriginalCase.RandomAccessFile, OriginalCase.BufferedStreamFile, OriginalCase.BufferedChannelFile,
                    OriginalCase.MemoryMappedFile);
        }
    }

    int iterations()
    {
        switch (this)
        {
            case ARTICLE:
            case ARRAYS:
                return ARTICLE_ITERATIONS;

            case WRITES:
                return WRITES_ITERATIONS;

            default:
                return 1;
        }
    }

    /**
     * How often all bytes are written or read. Counted without the cases, whose lengths are those of one JVM.
     */
    int passes()
    {
        return 2 * iterations() * (WRITES == this || ARRAYS == this ? 7 : BYTES == this ? 2 : 4);
    }

    /**
     * Of these, how many move one byte at a time.
     */
    int bytewisePasses()
    {
        return BYTES == this ? 2 * iterations() : 0;
    }
}
