// SPDX-License-Identifier: Apache-2.0
/**
 * The experiments of the articles: the file APIs of the JDK.
 */
package io.journal.bench.article;
