// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.journal.bench.subject.Subject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class SourceTest
{
    private static final int LENGTH = 40;
    private static final int COUNT = 10_000;

    private final Source source = new Source(LENGTH);
    private final InMemory subject = new InMemory();

    @BeforeEach
    void setUp() throws Exception
    {
        source.append(subject, COUNT - 1);
        source.appendDurably(subject);
    }

    @Test
    void appendedRecordsAreAccepted() throws Exception
    {
        source.check(subject);
        Source.checkCount(subject, COUNT);
        assertEquals(COUNT, source.count());
    }

    @Test
    void damagedReorderedRepeatedAndMissingRecordsAreRejected()
    {
        subject.records.get(COUNT / 2)[LENGTH - 1]++;
        assertRejected();
        subject.records.get(COUNT / 2)[LENGTH - 1]--;
        Collections.swap(subject.records, 1, COUNT / 3);
        assertRejected();
        Collections.swap(subject.records, 1, COUNT / 3);
        final byte[] replaced = subject.records.set(2, subject.records.get(1));
        assertRejected();
        subject.records.set(2, replaced);
        subject.records.remove(COUNT - 1);
        assertRejected();
        assertThrows(IllegalStateException.class, () -> Source.checkCount(subject, COUNT));
    }

    @Test
    void removedRecordsAreNotMissing() throws Exception
    {
        subject.records.remove(0);
        assertRejected();
        subject.removed = 1;
        source.check(subject);
        // More than the subject has removed.
        subject.records.remove(0);
        assertRejected();
    }

    @Test
    void aLookUpOfAnotherRecordIsRejected() throws Exception
    {
        final Source.Digest found = new Source.Digest();
        source.read((number, visitor) -> visitor.visit(subject.records.get((int)number)), 7, found);
        assertThrows(IllegalStateException.class, () -> source.read(
            (number, visitor) -> visitor.visit(subject.records.get((int)number + 1)), 7, found));
        assertThrows(IllegalStateException.class, () -> source.read((number, visitor) ->
        {
            // Finds nothing.
        }, 7, found));
    }

    private void assertRejected()
    {
        assertThrows(IllegalStateException.class, () -> source.check(subject));
    }

    private static final class InMemory implements Subject
    {
        private final List<byte[]> records = new ArrayList<>();
        private long removed;

        @Override
        public void append(final byte[] bytes, final int offset, final int length)
        {
            final byte[] record = new byte[length];
            System.arraycopy(bytes, offset, record, 0, length);
            records.add(record);
        }

        @Override
        public void appendDurably(final byte[] bytes, final int offset, final int length)
        {
            append(bytes, offset, length);
        }

        @Override
        public long removed()
        {
            return removed;
        }

        @Override
        public void replay(final Visitor visitor)
        {
            records.forEach(visitor::visit);
        }

        @Override
        public void close()
        {
            // Nothing is open.
        }
    }
}
