/**
 * The interpreter of experiments: rows of a table, of which commands run some by name.
 */
package io.journal.bench.experiment;
