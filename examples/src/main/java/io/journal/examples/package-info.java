/**
 * Small programs that show how the journal is used, from the first lines to an application. What they do with the
 * journal is meant to be copied.
 */
package io.journal.examples;
