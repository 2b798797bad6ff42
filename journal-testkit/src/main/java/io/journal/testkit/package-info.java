/**
 * Storage that fails on purpose: for tests of what a journal, and those who use one, make of it.
 */
package io.journal.testkit;
