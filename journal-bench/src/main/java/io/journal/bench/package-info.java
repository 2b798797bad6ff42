// SPDX-License-Identifier: Apache-2.0
/**
 * Measurements: which backend suits this machine, and how far the journal is from what the hardware could do.
 */
package io.journal.bench;
