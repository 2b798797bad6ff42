// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.time.Duration;
import java.util.Random;
import java.util.function.Consumer;

import io.journal.ForcePolicy;
import io.journal.testkit.Tearing;

/** Workloads of a journal in which every step is a crash point. Segments have 64 KiB, so that few records fill them. */
enum Workload
{
    APPEND_AND_FORCE((recorded) ->
    {
        recorded.open();
        for (int i = 0; i < 12; i++)
        {
            recorded.append(recorded.random.nextInt(1500));
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.force();
            }
        }
        recorded.append(0);
        recorded.awaitForced();
    }),

    ROLL((recorded) ->
    {
        recorded.open();
        for (int i = 0; i < 9; i++)
        {
            recorded.append(9_000 + recorded.random.nextInt(15_000));
            if (recorded.random.nextInt(4) == 0)
            {
                recorded.force();
            }
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.doWork();
            }
        }
        recorded.force();
    }),

    WRITE_WINDOW((recorded) ->
    {
        recorded.open((builder) -> builder.writeWindow(4096));
        for (int i = 0; i < 14; i++)
        {
            recorded.append(recorded.random.nextInt(6) == 0 ? 20_000 : recorded.random.nextInt(1500));
            if (recorded.random.nextInt(5) == 0)
            {
                recorded.force();
            }
            if (recorded.random.nextInt(4) == 0)
            {
                recorded.doWork();
            }
        }
    }),

    EVERY_RECORD((recorded) ->
    {
        recorded.open((builder) -> builder.force(ForcePolicy.everyRecord()));
        for (int i = 0; i < 8; i++)
        {
            recorded.appendShared(recorded.random.nextInt(i == 5 ? 50_000 : 2000));
        }
    }),

    EVERY_MOMENT((recorded) ->
    {
        recorded.open((builder) -> builder.force(ForcePolicy.every(Duration.ZERO)));
        for (int i = 0; i < 12; i++)
        {
            recorded.append(recorded.random.nextInt(8000));
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.doWork();
            }
        }
    }),

    BATCH((recorded) ->
    {
        recorded.open();
        for (int i = 0; i < 8; i++)
        {
            recorded.appendBatch(1 + recorded.random.nextInt(4), 4000);
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.append(recorded.random.nextInt(2000));
            }
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.force();
            }
        }
    }),

    CLAIM((recorded) ->
    {
        recorded.open();
        for (int i = 0; i < 10; i++)
        {
            recorded.claim(recorded.random.nextInt(3000), recorded.random.nextInt(3) > 0);
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.awaitForced();
            }
        }
    }),

    /** Frames that begin at the boundary of a sector or page: a crash may lose a frame and keep the next. */
    ALIGNED((recorded) ->
    {
        recorded.open();
        for (int i = 0; i < 3; i++)
        {
            recorded.appendUpTo(Tearing.SECTORS.length());
            recorded.force();
            for (int j = 0; j < 3; j++)
            {
                recorded.appendUpTo(Tearing.values()[i & 1].length());
            }
        }
    }),

    TRUNCATE((recorded) ->
    {
        recorded.open();
        for (int i = 0; i < 4; i++)
        {
            final int length = recorded.random.nextInt(3) == 0 ? 18_000 : 1000;
            for (int j = 0; j < 5; j++)
            {
                if (recorded.random.nextBoolean())
                {
                    recorded.appendUpTo(Tearing.SECTORS.length());
                }
                else
                {
                    recorded.append(length);
                }
            }
            if (recorded.random.nextBoolean())
            {
                recorded.force();
            }
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.roll();
            }
            recorded.truncateAfter(recorded.anySequence());
        }
        recorded.append(100);
        recorded.force();
    }),

    REPLACE((recorded) ->
    {
        recorded.open();
        for (int i = 0; i < 4; i++)
        {
            final long last = recorded.journal().lastSequence();
            for (int j = 0; j < 4; j++)
            {
                recorded.appendUpTo(Tearing.values()[i & 1].length());
            }
            recorded.replaceAfter(last + recorded.random.nextInt(3));
            if (recorded.random.nextBoolean())
            {
                recorded.force();
            }
        }
    }),

    PRUNE((recorded) -> prune(recorded, false)),

    RECYCLE((recorded) -> prune(recorded, true)),

    CURSOR((recorded) ->
    {
        recorded.open();
        for (int i = 0; i < 10; i++)
        {
            recorded.append(recorded.random.nextInt(1500));
            if (recorded.random.nextInt(2) == 0)
            {
                recorded.save("cursor-" + recorded.random.nextInt(2), recorded.anySequence());
            }
            if (recorded.random.nextInt(5) == 0)
            {
                recorded.truncateAfter(recorded.anySequence());
            }
        }
        recorded.save("gone", recorded.journal().lastSequence());
        recorded.deleteCursor("gone");
    }),

    REOPEN((recorded) ->
    {
        for (int i = 0; i < 4; i++)
        {
            recorded.open();
            for (int j = recorded.random.nextInt(5); j > 0; j--)
            {
                recorded.append(recorded.random.nextInt(12_000));
            }
            if (recorded.random.nextBoolean())
            {
                recorded.force();
            }
            if (recorded.random.nextInt(3) > 0)
            {
                recorded.closeJournal();
            }
            else
            {
                recorded.kill();
            }
        }
    }),

    FAILED_FORCE((recorded) ->
    {
        for (int i = 0; i < 2; i++)
        {
            recorded.open();
            recorded.append(100 + recorded.random.nextInt(3000));
            recorded.force();
            for (int j = recorded.random.nextInt(3); j >= 0; j--)
            {
                recorded.append(100 + recorded.random.nextInt(9000));
            }
            recorded.failForce(recorded::force);
        }
        recorded.open();
        recorded.append(50);
        recorded.force();
    }),

    FAILED_CHANGE((recorded) ->
    {
        for (int i = 0; i < 3; i++)
        {
            recorded.open();
            for (int j = 0; j < 3; j++)
            {
                recorded.append(100 + recorded.random.nextInt(i == 1 ? 25_000 : 2000));
            }
            if (recorded.random.nextBoolean())
            {
                // Only one of the two slots has the change. A state of several sectors may be torn.
                saveLong(recorded);
                recorded.save("cursor", recorded.anySequence());
                recorded.failForce(() -> recorded.save("cursor", recorded.anySequence()));
            }
            else
            {
                recorded.failForce(
                    1 + recorded.random.nextInt(6), () -> recorded.truncateAfter(recorded.anySequence()));
            }
        }
        recorded.open();
        recorded.append(50);
        recorded.force();
    }),

    FAILED_PRUNE((recorded) ->
    {
        for (int i = 0; i < 3; i++)
        {
            final boolean isRecycling = recorded.random.nextBoolean();
            recorded.open((builder) -> builder.recycleSegments(isRecycling));
            for (int j = 0; j < 6; j++)
            {
                recorded.append(15_000 + recorded.random.nextInt(15_000));
                if (recorded.random.nextInt(3) == 0)
                {
                    recorded.doWork();
                }
            }
            final int nth = 1 + recorded.random.nextInt(6);
            recorded.failForce(nth, () -> recorded.prune(recorded.anySequence() + 1));
        }
        recorded.open();
        recorded.append(50);
        recorded.force();
    }),

    /** All operations at random; each seed is another history. */
    RANDOM((recorded) ->
    {
        final Random random = recorded.random;
        for (int life = 1 + random.nextInt(3); life > 0; life--)
        {
            final boolean isRecycling = random.nextBoolean();
            final int writeWindow = random.nextInt(3) == 0 ? 4096 : 0;
            recorded.open((builder) -> builder.recycleSegments(isRecycling).writeWindow(writeWindow));
            if (random.nextInt(3) == 0)
            {
                saveLong(recorded);
            }
            for (int i = 4 + random.nextInt(10); i > 0; i--)
            {
                operate(recorded, random);
            }
            switch (random.nextInt(4))
            {
                case 0 -> recorded.closeJournal();
                case 1 -> recorded.failForce(1 + random.nextInt(6), () ->
                {
                    for (int i = 0; i < 4; i++)
                    {
                        operate(recorded, random);
                    }
                    recorded.force();
                });
                default -> recorded.kill();
            }
        }
        recorded.open();
        recorded.append(50);
        recorded.force();
    });

    private static final int LONG_NAME_LENGTH = 100;

    private final Consumer<RecordedJournal> work;

    Workload(final Consumer<RecordedJournal> work)
    {
        this.work = work;
    }

    void run(final RecordedJournal recorded)
    {
        work.accept(recorded);
    }

    /** Cursors with which a state takes several sectors. */
    private static void saveLong(final RecordedJournal recorded)
    {
        for (char name = 'a'; name < 'f'; name++)
        {
            recorded.save(String.valueOf(name).repeat(LONG_NAME_LENGTH), recorded.anySequence());
        }
    }

    private static void operate(final RecordedJournal recorded, final Random random)
    {
        switch (random.nextInt(16))
        {
            case 0 -> recorded.appendUpTo(Tearing.values()[random.nextInt(2)].length());
            case 1 -> recorded.append(10_000 + random.nextInt(30_000));
            case 2 -> recorded.appendBatch(1 + random.nextInt(4), 3000);
            case 3 -> recorded.claim(random.nextInt(3000), random.nextInt(3) > 0);
            case 4, 5 -> recorded.force();
            case 6 -> recorded.roll();
            case 7, 8 -> recorded.truncateSome();
            case 9 -> recorded.pruneSome();
            case 10 -> recorded.save("cursor-" + random.nextInt(2), recorded.anySequence());
            case 11 -> recorded.deleteCursorIfAny("cursor-" + random.nextInt(2));
            case 12 -> recorded.saveSnapshot();
            case 13 -> recorded.keepCheckpoint();
            case 14 -> recorded.doWork();
            default -> recorded.append(random.nextInt(1500));
        }
    }

    private static void prune(final RecordedJournal recorded, final boolean isRecycling)
    {
        recorded.open((builder) -> builder.recycleSegments(isRecycling));
        for (int i = 1; i <= 14; i++)
        {
            // Stale bytes of the previous use lie at places where frames and pages begin.
            recorded.appendTo(5 * Tearing.PAGES.length());
            if (recorded.random.nextInt(3) == 0)
            {
                recorded.doWork();
            }
            if (i % 4 == 0)
            {
                recorded.prune(Math.max(1, recorded.journal().lastSequence() - recorded.random.nextInt(3)));
            }
            if (recorded.random.nextInt(8) == 0)
            {
                recorded.truncateAfter(recorded.anySequence());
            }
        }
        recorded.force();
    }
}
