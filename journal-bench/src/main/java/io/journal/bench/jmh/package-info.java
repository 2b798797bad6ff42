/**
 * JMH benchmarks of the journal, each beside a baseline that does the least anyone could.
 */
package io.journal.bench.jmh;
