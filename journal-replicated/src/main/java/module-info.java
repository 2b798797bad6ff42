/**
 * A journal on several machines. Applications use {@link io.journal.replicated}; {@link io.journal.replicated.spi} is the
 * interface to a consensus engine, and {@link io.journal.replicated.aeron} the default engine, Aeron Cluster.
 */
// Aeron has module names in its manifests but no descriptors.
@SuppressWarnings("requires-automatic")
module io.journal.replicated
{
    requires transitive io.journal;
    requires io.aeron.archive;
    requires io.aeron.client;
    requires io.aeron.cluster;
    requires io.aeron.driver;
    // Flight Recorder events, where the runtime has the module.
    requires static jdk.jfr;

    exports io.journal.replicated;
    exports io.journal.replicated.aeron;
    exports io.journal.replicated.spi;

    provides java.util.spi.ToolProvider with io.journal.replicated.MemberSeed;
}
