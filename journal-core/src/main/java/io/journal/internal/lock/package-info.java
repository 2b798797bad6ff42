// SPDX-License-Identifier: Apache-2.0
/**
 * The locks of a journal in use, and the order in which threads take them.
 * What a lock protects stays in the room of what it protects.
 */
package io.journal.internal.lock;
