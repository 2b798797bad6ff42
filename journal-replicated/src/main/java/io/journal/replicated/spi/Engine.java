package io.journal.replicated.spi;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A consensus engine: starts members, and connects clients with them. Thread-safe.
 */
public interface Engine
{
    /**
     * Called before anything else: checks what the engine needs of the JVM.
     *
     * @throws io.journal.JournalException if something is missing. The message says what to do.
     */
    void check();

    /**
     * Starts a member, which joins the others in the background.
     *
     * @param options of the member.
     * @param machine applies what is committed; called by one thread at a time.
     * @return the running member.
     * @throws IllegalArgumentException         if the options do not fit the engine.
     * @throws io.journal.JournalException      if the member cannot be started.
     */
    Member start(MemberOptions options, StateMachine machine);

    /**
     * Prepares the way of a client to the leader; does not wait for one. The result's methods, and the replies, belong
     * to one thread at a time.
     *
     * @param members          of the cluster.
     * @param maxMessageLength of the messages that will be proposed, in bytes.
     * @param replies          called by {@link Proposer#poll()} only.
     * @return the way to the leader.
     * @throws io.journal.JournalException if a resource is missing.
     */
    Proposer connect(Members members, int maxMessageLength, Replies replies);

    /**
     * {@return the length in bytes of the longest message that a member's log takes; {@link Integer#MAX_VALUE} if it
     * has none yet} A log may keep the limit of the settings it was created with.
     *
     * @param directory of the member's engine; no other process uses it.
     * @throws io.journal.JournalException if the directory cannot be read.
     */
    int maxMessageLength(Path directory);

    /**
     * Copies the files of a member, which may be running, for another member to start with. What they hold is part of
     * the cluster's history, not necessarily its end.
     *
     * @param source directory of the member's engine.
     * @param target directory of the other member's engine; created.
     * @throws IOException if the files cannot be copied, or change too fast.
     */
    void copy(Path source, Path target) throws IOException;
}
