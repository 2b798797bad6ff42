// SPDX-License-Identifier: Apache-2.0
/**
 * Prune, retention, truncation, cursors, snapshots and backup.
 * SegmentLifecycle runs one prune, truncation or backup at a time.
 * Not part of the library's interface.
 */
package io.journal.internal.manage;
