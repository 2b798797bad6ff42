/**
 * Streams compared with channels: the "java-io-benchmark" of Roman Katerinenko.
 */
package io.journal.bench.article.streams;
