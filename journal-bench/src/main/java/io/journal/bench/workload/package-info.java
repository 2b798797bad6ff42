// SPDX-License-Identifier: Apache-2.0
/**
 * The workloads of subjects, and the experiments made of both.
 */
package io.journal.bench.workload;
