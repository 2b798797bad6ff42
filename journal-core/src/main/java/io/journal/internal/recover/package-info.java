/**
 * Recovery: creation of a journal, the scan for its end, truncation of a torn tail.
 * Everything here uses positional reads and writes. Files are changed only while nothing else uses the segments.
 * Not part of the public API.
 */
package io.journal.internal.recover;
