package io.journal.examples.bank.domain;

/**
 * Numbers that distinguish a command from others that are sent with the same id. The same in every JVM, and never
 * changed, since snapshots contain them. Computed from the content alone: that of an event may be one that no command
 * may have any more.
 */
final class Fingerprint
{
    private Fingerprint()
    {
    }

    static long ofOpening(final long accountId, final String owner)
    {
        return mix(mix(1, accountId), owner.hashCode());
    }

    static long ofDeposit(final long accountId, final long amountCents)
    {
        return mix(mix(2, accountId), amountCents);
    }

    static long ofWithdrawal(final long accountId, final long amountCents)
    {
        return mix(mix(3, accountId), amountCents);
    }

    static long ofTransfer(final long fromAccountId, final long toAccountId, final long amountCents)
    {
        return mix(mix(mix(4, fromAccountId), toAccountId), amountCents);
    }

    // The finalizer of MurmurHash3: each bit of the input changes about half of the bits of the result.
    private static long mix(final long seed, final long value)
    {
        long hash = seed * 0x9E3779B97F4A7C15L + value;
        hash = (hash ^ hash >>> 33) * 0xFF51AFD7ED558CCDL;
        hash = (hash ^ hash >>> 33) * 0xC4CEB9FE1A85EC53L;
        return hash ^ hash >>> 33;
    }
}
