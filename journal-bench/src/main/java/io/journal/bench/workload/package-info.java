// SPDX-License-Identifier: Apache-2.0
/**
 * What is done with a subject, and the experiments made of both.
 */
package io.journal.bench.workload;
