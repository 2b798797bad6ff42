/**
 * How bytes reach a file: what the journal asks of storage, and the backends that answer.
 */
package io.journal.store;
