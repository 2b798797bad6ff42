// SPDX-License-Identifier: Apache-2.0
/**
 * Verifies and repairs journals: every frame of every segment is read, corruption is distinguished from a torn tail,
 * and intact records are kept. Usable as a library; the {@code journal} command is one caller.
 */
package io.journal.verify;
