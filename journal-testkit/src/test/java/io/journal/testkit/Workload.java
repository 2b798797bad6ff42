package io.journal.testkit;

import java.time.Duration;
import java.util.function.Consumer;

import io.journal.ForcePolicy;

/**
 * Workloads of a journal in which every step is a crash point. With segments of 64 KiB, which few records fill.
 */
enum Workload
{
    APPEND_AND_FORCE((session) ->
    {
        session.open();
        for (int i = 0; i < 12; i++)
        {
            session.append(session.random.nextInt(1500));
            if (session.random.nextInt(3) == 0)
            {
                session.force();
            }
        }
        session.append(0);
        session.awaitForced();
    }),

    ROLL((session) ->
    {
        session.open();
        for (int i = 0; i < 9; i++)
        {
            session.append(9_000 + session.random.nextInt(15_000));
            if (session.random.nextInt(4) == 0)
            {
                session.force();
            }
            if (session.random.nextInt(3) == 0)
            {
                session.doWork();
            }
        }
        session.force();
    }),

    WRITE_WINDOW((session) ->
    {
        session.open((builder) -> builder.writeWindow(4096));
        for (int i = 0; i < 14; i++)
        {
            session.append(session.random.nextInt(6) == 0 ? 20_000 : session.random.nextInt(1500));
            if (session.random.nextInt(5) == 0)
            {
                session.force();
            }
            if (session.random.nextInt(4) == 0)
            {
                session.doWork();
            }
        }
    }),

    EVERY_RECORD((session) ->
    {
        session.open((builder) -> builder.force(ForcePolicy.everyRecord()));
        for (int i = 0; i < 8; i++)
        {
            session.appendShared(session.random.nextInt(i == 5 ? 50_000 : 2000));
        }
    }),

    EVERY_MOMENT((session) ->
    {
        session.open((builder) -> builder.force(ForcePolicy.every(Duration.ZERO)));
        for (int i = 0; i < 12; i++)
        {
            session.append(session.random.nextInt(8000));
            if (session.random.nextInt(3) == 0)
            {
                session.doWork();
            }
        }
    }),

    BATCH((session) ->
    {
        session.open();
        for (int i = 0; i < 8; i++)
        {
            session.appendBatch(1 + session.random.nextInt(4), 4000);
            if (session.random.nextInt(3) == 0)
            {
                session.append(session.random.nextInt(2000));
            }
            if (session.random.nextInt(3) == 0)
            {
                session.force();
            }
        }
    }),

    CLAIM((session) ->
    {
        session.open();
        for (int i = 0; i < 10; i++)
        {
            session.claim(session.random.nextInt(3000), session.random.nextInt(3) > 0);
            if (session.random.nextInt(3) == 0)
            {
                session.awaitForced();
            }
        }
    }),

    /** Frames that begin where a piece does: one may be lost and the next one not. */
    ALIGNED((session) ->
    {
        session.open();
        for (int i = 0; i < 3; i++)
        {
            session.appendUpTo(Tearing.SECTORS.length());
            session.force();
            for (int j = 0; j < 3; j++)
            {
                session.appendUpTo(Tearing.values()[i & 1].length());
            }
        }
    }),

    TRUNCATE((session) ->
    {
        session.open();
        for (int i = 0; i < 4; i++)
        {
            final int length = session.random.nextInt(3) == 0 ? 18_000 : 1000;
            for (int j = 0; j < 5; j++)
            {
                if (session.random.nextBoolean())
                {
                    session.appendUpTo(Tearing.SECTORS.length());
                }
                else
                {
                    session.append(length);
                }
            }
            if (session.random.nextBoolean())
            {
                session.force();
            }
            if (session.random.nextInt(3) == 0)
            {
                session.roll();
            }
            session.truncateAfter(session.anySequence());
        }
        session.append(100);
        session.force();
    }),

    REPLACE((session) ->
    {
        session.open();
        for (int i = 0; i < 4; i++)
        {
            final long last = session.journal().lastSequence();
            for (int j = 0; j < 4; j++)
            {
                session.appendUpTo(Tearing.values()[i & 1].length());
            }
            session.replaceAfter(last + session.random.nextInt(3));
            if (session.random.nextBoolean())
            {
                session.force();
            }
        }
    }),

    PRUNE((session) -> prune(session, false)),

    RECYCLE((session) -> prune(session, true)),

    CURSOR((session) ->
    {
        session.open();
        for (int i = 0; i < 10; i++)
        {
            session.append(session.random.nextInt(1500));
            if (session.random.nextInt(2) == 0)
            {
                session.save("cursor-" + session.random.nextInt(2), session.anySequence());
            }
            if (session.random.nextInt(5) == 0)
            {
                session.truncateAfter(session.anySequence());
            }
        }
        session.save("gone", session.journal().lastSequence());
        session.deleteCursor("gone");
    }),

    REOPEN((session) ->
    {
        for (int i = 0; i < 4; i++)
        {
            session.open();
            for (int j = session.random.nextInt(5); j > 0; j--)
            {
                session.append(session.random.nextInt(12_000));
            }
            if (session.random.nextBoolean())
            {
                session.force();
            }
            if (session.random.nextInt(3) > 0)
            {
                session.closeJournal();
            }
            else
            {
                session.kill();
            }
        }
    }),

    FAILED_FORCE((session) ->
    {
        for (int i = 0; i < 2; i++)
        {
            session.open();
            session.append(100 + session.random.nextInt(3000));
            session.force();
            for (int j = session.random.nextInt(3); j >= 0; j--)
            {
                session.append(100 + session.random.nextInt(9000));
            }
            session.failForce(session::force);
        }
        session.open();
        session.append(50);
        session.force();
    }),

    FAILED_CHANGE((session) ->
    {
        for (int i = 0; i < 3; i++)
        {
            session.open();
            for (int j = 0; j < 3; j++)
            {
                session.append(100 + session.random.nextInt(i == 1 ? 25_000 : 2000));
            }
            final int nth = 1 + session.random.nextInt(6);
            if (session.random.nextInt(3) == 0)
            {
                session.failForce(nth, () -> session.save("cursor", session.anySequence()));
            }
            else
            {
                session.failForce(nth, () -> session.truncateAfter(session.anySequence()));
            }
        }
        session.open();
        session.append(50);
        session.force();
    }),

    FAILED_PRUNE((session) ->
    {
        for (int i = 0; i < 3; i++)
        {
            final boolean isRecycling = session.random.nextBoolean();
            session.open((builder) -> builder.recycleSegments(isRecycling));
            for (int j = 0; j < 6; j++)
            {
                session.append(15_000 + session.random.nextInt(15_000));
                if (session.random.nextInt(3) == 0)
                {
                    session.doWork();
                }
            }
            final int nth = 1 + session.random.nextInt(6);
            session.failForce(nth, () -> session.prune(session.anySequence() + 1));
        }
        session.open();
        session.append(50);
        session.force();
    });

    private final Consumer<Session> work;

    Workload(final Consumer<Session> work)
    {
        this.work = work;
    }

    void run(final Session session)
    {
        work.accept(session);
    }

    private static void prune(final Session session, final boolean isRecycling)
    {
        session.open((builder) -> builder.recycleSegments(isRecycling));
        for (int i = 1; i <= 14; i++)
        {
            // What is left of a former life lies where a frame may begin, and a piece does.
            session.appendTo(5 * Tearing.PAGES.length());
            if (session.random.nextInt(3) == 0)
            {
                session.doWork();
            }
            if (i % 4 == 0)
            {
                session.prune(Math.max(1, session.journal().lastSequence() - session.random.nextInt(3)));
            }
            if (session.random.nextInt(8) == 0)
            {
                session.truncateAfter(session.anySequence());
            }
        }
        session.force();
    }
}
