// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code journal} command.
 */
package io.journal.tools;
