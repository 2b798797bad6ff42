/**
 * What is done with a subject, and the experiments made of both.
 */
package io.journal.bench.workload;
