/**
 * What the tests of replicated journals share.
 */
package io.journal.replicated.support;
