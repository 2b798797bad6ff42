/**
 * The experiments of the articles: ways of the JDK to write and read a file.
 */
package io.journal.bench.article;
