// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.codec;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.UUID;

import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Bank;

/**
 * Encodes and decodes the state of the bank for a snapshot: the accounts, and the ids of the commands that were
 * executed last. Without the ids, a command repeated after a restart would be executed twice. The journal adds the
 * sequence and a checksum.
 */
public final class SnapshotCodec
{
    // A snapshot of another version is refused. A program that changes the layout has to read the old one as well.
    private static final int VERSION = 2;

    private SnapshotCodec()
    {
    }

    /** {@return the state as bytes} Fast enough for the writing thread; another thread can then write the file. */
    public static byte[] encode(final Bank bank)
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream data = new DataOutputStream(bytes);
        try
        {
            data.writeInt(VERSION);
            data.writeInt(bank.accounts().all().size());
            for (final Account account : bank.accounts().all())
            {
                data.writeLong(account.accountId());
                data.writeUTF(account.owner());
                data.writeLong(account.openedAtMs());
                data.writeLong(account.cents());
                data.writeLong(account.version());
            }
            data.writeInt(bank.executed().all().size());
            for (final Map.Entry<UUID, Long> command : bank.executed().all().entrySet())
            {
                data.writeLong(command.getKey().getMostSignificantBits());
                data.writeLong(command.getKey().getLeastSignificantBits());
                data.writeLong(command.getValue());
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException("a byte array cannot fail", ex);
        }
        return bytes.toByteArray();
    }

    /** Decodes a state into a bank that has no accounts yet. */
    public static void decode(final InputStream input, final Bank bank) throws IOException
    {
        final DataInputStream data = new DataInputStream(input);
        final int version = data.readInt();
        if (VERSION != version)
        {
            throw new IOException("snapshot of another version: version=" + version + ", expected=" + VERSION);
        }

        for (int i = data.readInt(); i > 0; i--)
        {
            bank.accounts().put(
                new Account(data.readLong(), data.readUTF(), data.readLong(), data.readLong(), data.readLong()));
        }
        for (int i = data.readInt(); i > 0; i--)
        {
            bank.executed().add(new UUID(data.readLong(), data.readLong()), data.readLong());
        }
    }
}
