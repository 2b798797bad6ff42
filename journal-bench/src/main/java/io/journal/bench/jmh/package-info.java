/**
 * JMH benchmarks of the journal, each with a minimal baseline.
 */
package io.journal.bench.jmh;
