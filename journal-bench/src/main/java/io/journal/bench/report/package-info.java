/**
 * Reads result files, draws them, lays them beside what the articles published, and judges the articles' claims.
 */
package io.journal.bench.report;
