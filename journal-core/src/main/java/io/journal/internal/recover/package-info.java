/**
 * Makes what a writer has left a journal that can be appended to: creation, the scan for the end, truncation.
 * Everything here reads and writes by position, and runs before or while nothing else uses the segments.
 * Not part of the library's interface.
 */
package io.journal.internal.recover;
