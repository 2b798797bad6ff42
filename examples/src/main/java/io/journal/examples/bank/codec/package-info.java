/**
 * How the bank's events and snapshots are stored. The only place that knows of versions: what it decodes is always the
 * current event.
 */
package io.journal.examples.bank.codec;
