/**
 * What a consensus engine has to offer, so that a journal can be replicated by it: a log into which clients propose
 * messages, whose committed messages every member applies in the same order, with snapshots of what was applied.
 * <p>
 * Users of a replicated journal need nothing of this package.
 */
package io.journal.replicated.spi;
