package io.journal.bench.article;

import java.util.List;

/**
 * Variants of the article's program.
 */
enum Variant
{
    /** The article: four cases, five times each. */
    ARTICLE,

    /** From a comment: each case with single bytes also with an array of a page. */
    ARRAYS,

    /** From a comment: a system call per byte and per page; once, since it takes long. */
    BYTES,

    /** From a comment: several page lengths, once each; CPU time is our addition. */
    PAGES,

    /** From a comment: writes only, three times each, in two columns. */
    WRITES;

    private static final int ARTICLE_ITERATIONS = 5;
    private static final int WRITES_ITERATIONS = 3;

    List<ArticleCase> cases()
    {
        switch (this)
        {
            case ARRAYS:
                return List.of(
                    ArticleCase.RandomAccessFile, ArticleCase.BufferedStreamFile, ArticleCase.BufferedStreamFile2,
                    ArticleCase.BufferedChannelFile, ArticleCase.BufferedChannelFile2, ArticleCase.MemoryMappedFile,
                    ArticleCase.MemoryMappedFile2);

            case BYTES:
                return List.of(ArticleCase.RandomAccessFile, ArticleCase.RandomAccessFileByte);

            default:
                return List.of(
                    ArticleCase.RandomAccessFile, ArticleCase.BufferedStreamFile, ArticleCase.BufferedChannelFile,
                    ArticleCase.MemoryMappedFile);
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
     * Number of passes over the file. Does not use the cases, whose lengths are constants of one JVM.
     */
    int passes()
    {
        return 2 * iterations() * (WRITES == this || ARRAYS == this ? 7 : BYTES == this ? 2 : 4);
    }

    /**
     * Passes with a system call per byte.
     */
    int bytewisePasses()
    {
        return BYTES == this ? 2 * iterations() : 0;
    }
}
