// SPDX-License-Identifier: Apache-2.0
/**
 * What may be read of a journal that another process writes: its files as they grow, roll, and are pruned or truncated.
 * FollowedSource is the read room's source for it, and finds out how far the writer has come.
 */
package io.journal.internal.follow;
