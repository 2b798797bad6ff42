// SPDX-License-Identifier: Apache-2.0
/**
 * Reads result files, draws charts of them with the published values, and evaluates the articles' claims.
 */
package io.journal.bench.report;
