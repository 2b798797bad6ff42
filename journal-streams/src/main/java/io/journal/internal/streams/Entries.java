// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

/** Entries of an index file, sorted by key, unsigned, then by position. */
interface Entries
{
    int count();

    long key(int index);

    long position(int index);
}
