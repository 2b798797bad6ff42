/**
 * A bank that separates commands from queries (CQRS), with a journal between them.
 *
 * <pre>
 *  Command ──► CommandHandler ──► Journal ──► Projection ──► AccountsView ◄── query
 *              Bank decides:                  own thread,    any thread
 *              an Event, or                   durable
 *              a rejection                    records only
 * </pre>
 *
 * Only the journal is stored. {@code Bank} decides commands, {@code AccountsView} answers queries, and both are rebuilt
 * from the journal. So each can keep its data in the form it needs, and that form can change with the next version of
 * the program.
 * <p>
 * Neither commands nor queries return anything that a power loss could take back: {@code CommandHandler} answers once
 * the event is durable, {@code Projection} reads only up to the durable watermark.
 * <p>
 * Not shown: a client that got no answer because of a crash cannot know whether its command was executed. Retrying it
 * gives at-least-once execution. For an exactly-once effect, give each command an id of the client's, store the id in
 * the event, and let {@code Bank} recognise the ids it has already processed.
 */
package io.journal.examples.cqrs;
