// SPDX-License-Identifier: Apache-2.0
/**
 * Storage that fails on demand, to test how a journal, and an application that uses one, handles it.
 */
package io.journal.testkit;
