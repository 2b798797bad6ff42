// SPDX-License-Identifier: Apache-2.0
/**
 * An event store on a journal: events with tags, and appends under conditions.
 */
// The module named below is compiled after this one.
@SuppressWarnings("module")
module io.journal.streams
{
    requires transitive io.journal;
    // Annotations, needed at compile time only.
    requires static org.jspecify;

    exports io.journal.streams;
    exports io.journal.internal.streams to io.journal.tools;
}
