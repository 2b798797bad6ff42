// SPDX-License-Identifier: Apache-2.0
/**
 * What is measured: this journal with its backends, plain files; other journals are in {@code peer}.
 */
package io.journal.bench.subject;
