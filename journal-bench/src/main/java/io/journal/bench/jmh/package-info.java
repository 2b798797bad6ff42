// SPDX-License-Identifier: Apache-2.0
/**
 * JMH benchmarks of the journal, each with a minimal baseline.
 */
package io.journal.bench.jmh;
