// SPDX-License-Identifier: Apache-2.0
/**
 * A segment's file and the frames in it: opened, seen through a window, and judged valid or not, by one class for
 * recovery, readers and tools. Objects are for one thread at a time.
 * Not part of the public API.
 */
package io.journal.internal.segment;
