/**
 * A file read and written byte by byte through stream buffers of many lengths: the measurements of PureSol
 * Technologies.
 */
package io.journal.bench.article.sweep;
