/**
 * A bank that separates commands from queries (CQRS), with a journal between them, to be opened in a browser. The
 * packages are the seams:
 *
 * <pre>
 *   web         ──► command ──► journal ──► read        ──► web
 *   HTTP, JSON      one thread   events      three models    queries, live stream
 *                   decides      (codec)
 *                    │
 *                   domain
 *                   the rules
 * </pre>
 *
 * {@code domain} knows none of the others. {@code codec} is how events and snapshots are stored. {@code run} starts the
 * processes. {@link io.journal.examples.bank.BankApplication} connects the command side and the read side; it can be
 * used without HTTP.
 * <p>
 * Neither commands nor queries return anything that a power loss could take back: a command is answered when its event
 * is durable, and read models follow the durable watermark.
 */
package io.journal.examples.bank;
