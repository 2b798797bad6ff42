// SPDX-License-Identifier: Apache-2.0
/**
 * Small programs that show how to use the journal, from the first lines to an application. Their use of the journal is
 * meant to be copied.
 */
package io.journal.examples;
