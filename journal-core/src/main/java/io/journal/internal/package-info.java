// SPDX-License-Identifier: Apache-2.0
/**
 * The engine of a journal open for writing: what wires the rooms below it, starts and closes them. It knows all of
 * them, and none of them knows it; users hold it behind {@code io.journal.Journal}.
 */
package io.journal.internal;
