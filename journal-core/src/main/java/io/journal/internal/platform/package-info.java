// SPDX-License-Identifier: Apache-2.0
/**
 * The file system and the JDK as they are: types of files, permissions, full disks, file descriptors, faults of mapped
 * memory. Used by the backends and by the lock, so it lies below both.
 */
package io.journal.internal.platform;
