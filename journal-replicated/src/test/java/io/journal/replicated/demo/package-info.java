/**
 * A cluster to look at, and to kill members of.
 */
package io.journal.replicated.demo;
