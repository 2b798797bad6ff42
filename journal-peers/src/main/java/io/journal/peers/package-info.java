/**
 * The journal compared with other journals and with plain I/O of the JDK: the same workloads, each in a process of
 * its own.
 */
package io.journal.peers;
