/**
 * Recommends a backend and settings from measurements.
 */
package io.journal.bench.recommend;
