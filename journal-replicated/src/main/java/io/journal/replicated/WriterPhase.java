package io.journal.replicated;

/** What a {@link Writer} does next. */
enum WriterPhase
{
    /** Wants an epoch. */
    OPENING,

    /** Has its epoch, and has to ask what is committed before it sends more. */
    RESUMING,

    /** Sends. */
    STREAMING
}
