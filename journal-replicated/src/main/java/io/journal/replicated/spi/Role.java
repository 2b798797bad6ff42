package io.journal.replicated.spi;

/** What a member is. */
public enum Role
{
    /** Applies what the leader commits. */
    FOLLOWER,

    /** Stands for election. */
    CANDIDATE,

    /** Orders what clients propose. */
    LEADER
}
