// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.peer;

import java.util.Arrays;

import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;

/**
 * H2's MVStore: a map from sequence to record, appended to by {@code MVMap.append}, which is for rising keys.
 */
public final class MvStoreSubject implements Subject
{
    private final MVStore store;
    private final MVMap<Long, byte[]> records;
    private long sequence;

    public MvStoreSubject(final Setup setup)
    {
        store = new MVStore.Builder().fileName(setup.directory().resolve("records.mv").toString()).open();
        records = store.openMap("records", new MVMap.Builder<Long, byte[]>().singleWriter());
        final Long last = records.lastKey();
        sequence = null == last ? 0 : last;
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length)
    {
        records.append(++sequence, Arrays.copyOfRange(bytes, offset, offset + length));
    }

    @Override
    public void flush()
    {
        store.commit();
    }

    @Override
    public synchronized void appendDurably(final byte[] bytes, final int offset, final int length)
    {
        append(bytes, offset, length);
        store.commit();
        store.sync();
    }

    @Override
    public Lookup openLookup()
    {
        return (number, visitor) -> visitor.visit(records.get(number + 1));
    }

    @Override
    public void replay(final Visitor visitor)
    {
        final Cursor<Long, byte[]> cursor = records.cursor(null);
        while (cursor.hasNext())
        {
            cursor.next();
            visitor.visit(cursor.getValue());
        }
    }

    @Override
    public void close()
    {
        store.close();
    }
}
