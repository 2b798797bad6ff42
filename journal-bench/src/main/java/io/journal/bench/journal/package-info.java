/**
 * Measurements of the journal itself.
 */
package io.journal.bench.journal;
