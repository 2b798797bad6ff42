// SPDX-License-Identifier: Apache-2.0
/**
 * Pekko Persistence on a journal.
 */
// Pekko has module names in its manifests but no descriptors.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.journal.pekko
{
    requires io.journal.streams;
    // Annotations, needed at compile time only.
    requires static org.jspecify;
    requires transitive io.journal;
    requires transitive pekko.actor;
    requires transitive pekko.persistence;
    requires transitive pekko.persistence.query;
    requires transitive pekko.stream;
    requires transitive scala.library;
    requires transitive typesafe.config;

    exports io.journal.pekko;
}
