/**
 * The storage interface of the journal, and the backends that implement it.
 */
package io.journal.store;
