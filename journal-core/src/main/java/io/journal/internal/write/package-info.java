// SPDX-License-Identifier: Apache-2.0
/**
 * The append path: composing frames, rolling segments, group commit, durability listeners, the background agent.
 * The locks guard shared appenders (AppendPath), the window (TailWindow), fsync (Forcer) and the supply of
 * segments (SegmentSupply).
 * Not part of the library's interface.
 */
package io.journal.internal.write;
