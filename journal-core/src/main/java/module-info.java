// SPDX-License-Identifier: Apache-2.0
/**
 * An embeddable append-only journal.
 * <p>
 * Applications use {@link io.journal}; {@link io.journal.store} is the interface to storage. A module that requires
 * this one also reads Agrona, whose buffers are part of the API.
 */
// Agrona has a module name in its manifest but no descriptor, and the modules named below are compiled after this one.
// The warnings concern this descriptor alone: a module that requires this one gets none.
@SuppressWarnings({ "requires-automatic", "requires-transitive-automatic", "module" })
module io.journal
{
    requires transitive org.agrona;
    // Annotations, needed at compile time only.
    requires static org.jspecify;
    // Flight Recorder events, where the runtime has the module.
    requires static jdk.jfr;
    // Unmapping before JDK 22.
    requires jdk.unsupported;

    exports io.journal;
    exports io.journal.store;

    exports io.journal.internal.control to io.journal.verify;
    exports io.journal.internal.files to io.journal.verify;
    exports io.journal.internal.format to io.journal.verify, io.journal.tools;
    exports io.journal.internal.manage to io.journal.verify;
    exports io.journal.internal.platform to io.journal.verify;
    exports io.journal.internal.recover to io.journal.verify;
    exports io.journal.internal.segment to io.journal.verify;
}
