/**
 * The measurements of David Nadeau: thirteen ways to read a file.
 */
package io.journal.bench.article.readers;
