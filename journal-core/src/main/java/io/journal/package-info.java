/**
 * An append-only journal: records are appended, forced to the device, and read back in order, also after a crash.
 */
package io.journal;
