// SPDX-License-Identifier: Apache-2.0
/**
 * The locks of a journal in use, and the order in which threads take them. The state that a lock protects stays in its
 * own package.
 */
package io.journal.internal.lock;
