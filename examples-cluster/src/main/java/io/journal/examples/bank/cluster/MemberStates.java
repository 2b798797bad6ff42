package io.journal.examples.bank.cluster;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The members' roles as they are known in the bank's process: the supervisor sends them, a line for each. Thread-safe.
 */
final class MemberStates
{
    static final int MEMBERS = 3;
    static final String DOWN = "DOWN";
    static final String STARTING = "STARTING";

    private static final String PREFIX = "MEMBER ";

    private final AtomicReferenceArray<String> roles = new AtomicReferenceArray<>(MEMBERS);

    static String line(final int memberId, final String role)
    {
        return PREFIX + memberId + " " + role;
    }

    void accept(final String line)
    {
        final String[] words = line.split(" ");
        if (line.startsWith(PREFIX) && 3 == words.length)
        {
            roles.set(Integer.parseInt(words[1]), words[2]);
        }
    }

    String role(final int memberId)
    {
        final String role = roles.get(memberId);
        return null == role ? STARTING : role;
    }
}
