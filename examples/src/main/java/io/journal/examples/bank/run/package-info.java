/**
 * The processes: the bank's server, the follower that builds a read model beside it, the members of a cluster, and the
 * supervisor that starts them all, kills one when the page asks for that, and starts it again.
 */
package io.journal.examples.bank.run;
