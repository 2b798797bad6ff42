/**
 * Measurements: which backend suits this machine, and how far the journal is from what the hardware could do.
 */
package io.journal.bench;
