/**
 * Aeron Cluster as the engine: a member is a media driver, an archive, a consensus module and a service in one process;
 * a client has a media driver of its own. Nothing outside this package knows Aeron.
 */
package io.journal.replicated.aeron;
