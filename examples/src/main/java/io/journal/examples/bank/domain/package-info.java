/**
 * The bank's rules: commands, the decisions on them, and the events that result. Knows nothing of journals, files,
 * threads or HTTP.
 */
package io.journal.examples.bank.domain;
