/**
 * The processes: the bank's server, the follower that builds a read model beside it, the supervisor that starts both,
 * kills the server when asked to and starts it again, and a load generator. {@code mvn -q -Pbank package} runs the
 * supervisor.
 */
package io.journal.examples.bank.run;
