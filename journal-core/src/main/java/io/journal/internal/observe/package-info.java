/**
 * Flight Recorder events of what the engine does.
 * They are emitted, and never asked.
 * Not part of the library's interface.
 */
package io.journal.internal.observe;
