// SPDX-License-Identifier: Apache-2.0
/**
 * Recommends a backend and settings from measurements.
 */
package io.journal.bench.recommend;
