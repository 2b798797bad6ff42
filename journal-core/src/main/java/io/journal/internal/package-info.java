// SPDX-License-Identifier: Apache-2.0
/**
 * The engine of a journal open for writing: wires the packages below it, starts and closes them. It knows all of them,
 * and none of them knows it. Users hold it as an {@code io.journal.Journal}.
 */
package io.journal.internal;
