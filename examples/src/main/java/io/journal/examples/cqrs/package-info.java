/**
 * A bank with its commands and its queries apart, and a journal between them.
 *
 * <pre>
 *  Command ──► CommandHandler ──► Journal ──► Projection ──► AccountsView ◄── query
 *              asks Bank, which               own thread,    for any thread
 *              decides: an Event,             behind what
 *              or a refusal                   is forced
 * </pre>
 *
 * The journal is all that is stored. {@code Bank}, by which commands are decided, and {@code AccountsView}, by which
 * queries are answered, are both rebuilt from it, so each may keep what it needs in the shape it likes, and be changed
 * with the next version of the program.
 * <p>
 * Neither a command nor a query is answered by what a loss of power could take back: {@code CommandHandler} waits until
 * its answer is forced, {@code Projection} reads no further than that.
 * <p>
 * Not shown: a client that got no answer because of a crash cannot tell whether its command was carried out. Where it
 * has to send it again, let a command carry a number of the client's, put it into the event, and have {@code Bank} know
 * the numbers it has seen.
 */
package io.journal.examples.cqrs;
