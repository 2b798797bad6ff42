/**
 * The {@code journal} command.
 */
package io.journal.tools;
