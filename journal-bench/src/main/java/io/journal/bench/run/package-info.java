// SPDX-License-Identifier: Apache-2.0
/**
 * Shared by all measuring commands: options, directory, child processes and results.
 */
package io.journal.bench.run;
