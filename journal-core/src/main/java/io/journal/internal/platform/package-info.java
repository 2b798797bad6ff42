// SPDX-License-Identifier: Apache-2.0
/**
 * Queries about paths of the file system, and the permissions of new files: used by the backends and by the lock, so it
 * lies below both. Stateless.
 */
package io.journal.internal.platform;
