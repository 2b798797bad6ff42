// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Arrays;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.testkit.FaultStore;
import io.journal.tests.support.JournalFixture;
import org.agrona.CloseHelper;

/**
 * An application written as the README recommends: its state is a number that any missing, repeated or changed record
 * changes.
 */
final class SnapshotApplication implements AutoCloseable
{
    private static final int PADDING_UNIT = 1500;

    private final Journal journal;
    private final JournalReader reader;
    private long hash;
    private long loadedSequence;

    private SnapshotApplication(final Journal journal, final JournalReader reader)
    {
        this.journal = journal;
        this.reader = reader;
    }

    static SnapshotApplication open(final Path path, final FaultStore store)
    {
        final Journal journal =
            JournalFixture.repeatable(path, store, () -> 7).retention(Retention.bytes(1)).open();
        JournalReader reader = null;
        try
        {
            reader = journal.openReader();
            final SnapshotApplication application = new SnapshotApplication(journal, reader);
            application.loadedSequence = journal.snapshots().load(application::read);
            reader.seek(application.loadedSequence + 1);
            application.applyNew();
            return application;
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietCloseAll(reader, journal);
            throw ex;
        }
    }

    Journal journal()
    {
        return journal;
    }

    long sequence()
    {
        return reader.nextSequence() - 1;
    }

    long hash()
    {
        return hash;
    }

    long loadedSequence()
    {
        return loadedSequence;
    }

    long hashWith(final Entry entry)
    {
        return (hash * 31 + entry.tag()) * 31 + Arrays.hashCode(entry.bytes());
    }

    long append(final Entry entry)
    {
        final long sequence = journal.appender().append(entry.tag(), entry.bytes());
        applyNew();
        return sequence;
    }

    void save()
    {
        journal.snapshots().save(sequence(), this::write);
    }

    /**
     * Prunes like the background agent: drops all segments that neither a snapshot needs nor the newest segments hold.
     */
    void retain()
    {
        boolean isBusy = true;
        while (isBusy)
        {
            try
            {
                isBusy = journal.backgroundAgent().doWork() > 0;
            }
            catch (final Exception ex)
            {
                throw new AssertionError(ex);
            }
        }
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(reader, journal);
    }

    private void applyNew()
    {
        while (reader.poll(
            (buffer, offset, length, header) -> hash = hashWith(Entry.of(header.tag(), buffer, offset, length)),
            Integer.MAX_VALUE) > 0)
        {
            // Read until there are no more records.
        }
    }

    private void write(final OutputStream output) throws IOException
    {
        final DataOutputStream data = new DataOutputStream(output);
        data.writeLong(sequence());
        data.writeLong(hash);
        // The state has one page or several.
        data.write(new byte[(int)(sequence() % 7) * PADDING_UNIT]);
    }

    private void read(final InputStream input) throws IOException
    {
        final DataInputStream data = new DataInputStream(input);
        final long sequence = data.readLong();
        hash = data.readLong();
        final byte[] padding = data.readAllBytes();
        if (!Arrays.equals(padding, new byte[(int)(sequence % 7) * PADDING_UNIT]))
        {
            throw new IOException("the content is not what was written: sequence=" + sequence);
        }
    }
}
