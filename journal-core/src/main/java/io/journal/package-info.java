/**
 * An append-only journal: records are appended, made durable, and read back in order, also after a crash.
 */
package io.journal;
