// SPDX-License-Identifier: Apache-2.0
/**
 * Recovery: creation of a journal, the scan for its end, the next term.
 * Everything here uses positional reads and writes. Nothing that was readable is changed.
 */
package io.journal.internal.recover;
