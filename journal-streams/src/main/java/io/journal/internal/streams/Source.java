// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import io.journal.Checkpoint;

/** A part of the index, for a range of positions. */
interface Source
{
    long first();

    /** The last position; for the tail that of its newest event. */
    long last();

    /** Checkpoint of the last event; with term 0 if it is not known. */
    Checkpoint end();

    Candidates candidates(long key);
}
