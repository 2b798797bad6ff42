// SPDX-License-Identifier: Apache-2.0
/**
 * Follows a journal that another process writes: its files grow, roll, and are pruned or truncated. FollowedSource is
 * the readers' source for it, and finds the writer's end.
 */
package io.journal.internal.follow;
