// SPDX-License-Identifier: Apache-2.0
/** A journal on several machines, over Aeron Cluster. */
// Aeron has module names in its manifests but no descriptors.
@SuppressWarnings("requires-automatic")
module io.journal.replicated
{
    requires transitive io.journal;
    requires io.aeron.archive;
    requires io.aeron.client;
    requires io.aeron.cluster;
    requires io.aeron.driver;

    exports io.journal.replicated;

    provides java.util.spi.ToolProvider with io.journal.replicated.MemberSeed;
}
