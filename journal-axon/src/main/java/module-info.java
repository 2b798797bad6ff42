// SPDX-License-Identifier: Apache-2.0
/**
 * Stores the events of Axon Framework 5 in a journal.
 */
module io.journal.axon
{
    requires transitive io.journal.streams;
    requires transitive org.axonframework.common;
    requires transitive org.axonframework.conversion;
    requires transitive org.axonframework.eventsourcing;
    requires transitive org.axonframework.messaging;
    // What Axon's jars need, and cannot say because they are no modules.
    requires com.fasterxml.jackson.databind;
    requires java.net.http;
    requires org.slf4j;
    // Annotations, needed at compile time only.
    requires static org.jspecify;

    exports io.journal.axon;
}
