/**
 * What a replicated journal costs beside the cluster it runs on.
 */
package io.journal.replicated.bench;
