// SPDX-License-Identifier: Apache-2.0
/**
 * Prune, retention, truncation, cursors, snapshots and backup.
 * SegmentLifecycle runs one prune, truncation or backup at a time.
 */
package io.journal.internal.manage;
