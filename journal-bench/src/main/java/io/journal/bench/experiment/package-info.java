// SPDX-License-Identifier: Apache-2.0
/**
 * The interpreter of experiments: rows of a table, of which commands run some by name.
 */
package io.journal.bench.experiment;
