// SPDX-License-Identifier: Apache-2.0
/**
 * What the file system says of a path, and with which permissions files are created: used by the backends and by the
 * lock, so it lies below both. Stateless.
 */
package io.journal.internal.platform;
