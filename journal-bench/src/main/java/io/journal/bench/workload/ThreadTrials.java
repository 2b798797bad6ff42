package io.journal.bench.workload;

import java.util.SplittableRandom;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.Machine;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import io.journal.bench.subject.SubjectKind;
import io.journal.bench.subject.Records;

/**
 * Threads that repeat a call for a time: durable appends, of one record each or of one thread with several in flight,
 * and single records read at random.
 */
final class ThreadTrials
{
    // Of one measured call: its own cost must not count.
    private static final int BATCH = 128;
    private static final long SEED = 42;
    // Threads that read all the time leave the JIT compiler little of two processors: the journal took two seconds.
    private static final long LOOKUP_WARM_UP_MS = 4000;
    private static final double BYTES_PER_KIB = 1024;

    private ThreadTrials()
    {
    }

    static void durable(final SubjectKind kind, final Setup setup, final Arguments args) throws Exception
    {
        final int length = setup.recordLength();
        final int threads = args.length("threads");
        final boolean isPipelined = Workload.PIPELINED == setup.workload();
        final Source source = new Source(length);
        try (Subject subject = kind.open(setup))
        {
            final Workers workers = new Workers(args.number("warmUpMs"));
            if (isPipelined)
            {
                workers.add((number) -> subject.appendPipelined(source.bytes(), source.next(length), length, threads));
            }
            for (int i = 0; !isPipelined && i < threads; i++)
            {
                workers.add((number) -> subject.appendDurably(source.bytes(), Records.offset(number), length));
            }
            final long deviceBefore = Machine.writtenBytes(setup.directory());
            workers.run(args.number("ms"));
            final long device = Machine.writtenBytes(setup.directory()) - deviceBefore;
            Child.print("recordsPerSecond", workers.rate());
            if (!isPipelined)
            {
                // Of a pipelined call it is the time until an earlier record is durable.
                workers.printPercentiles();
            }
            if (deviceBefore >= 0)
            {
                Child.print("deviceKib", device / BYTES_PER_KIB / workers.count());
            }
            if (isPipelined)
            {
                source.check(subject);
            }
            else
            {
                checkCount(subject, workers.count());
            }
        }
    }

    /** Compares the number of records; their order depends on the threads. */
    private static void checkCount(final Subject subject, final long appended) throws Exception
    {
        final Digest found = new Digest();
        subject.replay(found);
        if (found.count() != appended)
        {
            throw new IllegalStateException("replay differs: appended=" + appended + ", replayed=" + found.count());
        }
    }

    static void lookUp(final SubjectKind kind, final Setup setup, final Arguments args) throws Exception
    {
        final Source source = new Source(setup.recordLength());
        final long records = args.number("records");
        try (Subject subject = kind.open(setup))
        {
            source.append(subject, records, setup.recordLength());
            subject.flush();
            source.check(subject);
            final Workers workers = new Workers(Math.min(LOOKUP_WARM_UP_MS, 2 * args.number("ms")));
            for (int i = 0; i < args.length("threads"); i++)
            {
                final Subject.Lookup lookup = subject.openLookup();
                final long seed = SEED + i;
                // Made by the thread that changes them: beside those of others they would share cache lines.
                final ThreadLocal<SplittableRandom> randoms =
                    ThreadLocal.withInitial(() -> new SplittableRandom(seed));
                final ThreadLocal<Found> founds = ThreadLocal.withInitial(Found::new);
                workers.add((ignored) ->
                {
                    for (int j = 0; j < BATCH; j++)
                    {
                        read(lookup, randoms.get().nextLong(records), founds.get(), source);
                    }
                });
            }
            workers.run(args.number("ms"));
            Child.print("recordsPerSecond", BATCH * workers.rate());
        }
    }

    /** Reads one record and compares it. */
    static void read(final Subject.Lookup lookup, final long number, final Found found, final Source source)
        throws Exception
    {
        found.count = 0;
        lookup.read(number, found);
        if (1 != found.count || source.first(number) != found.first)
        {
            throw new IllegalStateException("not the record that was appended: number=" + number);
        }
    }

    /** What a look-up passed on. */
    static final class Found implements Subject.Visitor
    {
        private long first;
        private int count;

        @Override
        public void visit(final long firstWord, final long last, final int length)
        {
            first = firstWord;
            count++;
        }
    }
}
