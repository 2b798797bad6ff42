/**
 * Thirteen ways to read a file: the measurements of David Nadeau.
 */
package io.journal.bench.article.readers;
