// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;

import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.StoreStep;
import io.journal.testkit.StoreStep.Kind;
import io.journal.tests.support.StepStore;

/** Calls to a store that fail at random, of a {@code FaultStore} or of real files. */
final class RandomFaults implements FaultPlan, StepStore.Steps
{
    /** Which calls may fail, and how. */
    enum Mode
    {
        NONE, ANY, FORCES, NAMES_AND_READS, NO_SPACE, NO_MEMORY, ALL_CHANGES
    }

    private final Backend backend;
    private Random random = new Random(0);
    private Mode mode = Mode.NONE;
    private double probability;
    private int injected;
    private int stepsLeft;
    private Runnable atStep = () ->
    {
    };

    RandomFaults(final Backend backend)
    {
        this.backend = backend;
    }

    void begin(final Mode mode, final double probability, final long seed)
    {
        this.mode = mode;
        this.probability = probability;
        random = new Random(seed);
    }

    void end()
    {
        mode = Mode.NONE;
        injected = 0;
        stepsLeft = 0;
    }

    /** Whether a call has failed since the last end. */
    boolean isInjected()
    {
        return injected > 0;
    }

    /** Number of calls that have failed since the last end. */
    int injected()
    {
        return injected;
    }

    /** Runs an action before the nth call from now. */
    void at(final int nth, final Runnable action)
    {
        stepsLeft = nth;
        atStep = action;
    }

    @Override
    public Fault before(final StoreStep step)
    {
        // The agent reads the writer's fence by time: a seed has the same faults at any speed.
        if (Kind.READ == step.kind() && Long.BYTES == step.length())
        {
            return Fault.none();
        }
        if (stepsLeft > 0 && 0 == --stepsLeft)
        {
            atStep.run();
        }
        final boolean isFilling = JournalFiles.isSegment(step.name()) && isZero(step.bytes());
        if (!isFailing(step.kind(), isFilling))
        {
            return Fault.none();
        }
        if (Mode.NO_SPACE == mode)
        {
            return Fault.noSpaceAfter(0);
        }
        return Kind.WRITE == step.kind() && random.nextBoolean() ?
            Fault.errorAfter(random.nextInt((int)step.length() + 1)) : Fault.error();
    }

    private static boolean isZero(final ByteBuffer bytes)
    {
        for (int i = bytes.position(); i < bytes.limit(); i++)
        {
            if (0 != bytes.get(i))
            {
                return false;
            }
        }
        return true;
    }

    /** Throws if the call fails for want of memory. */
    private boolean isFailing(final Kind kind, final boolean isFilling)
    {
        final boolean isOfMode = switch (mode)
        {
            case NONE -> false;
            case ANY, NO_MEMORY -> true;
            case FORCES -> Kind.FORCE == kind;
            case NAMES_AND_READS -> Kind.WRITE != kind && Kind.FORCE != kind && Kind.CREATE != kind;
            // A write in place needs no space. A mapped journal writes with calls nothing but zeros and states.
            case NO_SPACE -> Kind.CREATE == kind || Kind.WRITE == kind && (isFilling || Backend.MAPPED == backend);
            case ALL_CHANGES -> kind.isChange();
        };
        if (!isOfMode || random.nextDouble() >= probability)
        {
            return false;
        }
        injected++;
        if (Mode.NO_MEMORY == mode)
        {
            throw new OutOfMemoryError("injected: kind=" + kind);
        }
        return true;
    }

    @Override
    public boolean before(final StepStore.Step step, final String name) throws IOException
    {
        fail(Kind.valueOf(step.name()), name);
        // An fsync changes nothing that outlives a process.
        return StepStore.Step.FORCE != step && StepStore.Step.FORCE_DIRECTORY != step;
    }

    @Override
    public void beforeOpen(final String name) throws IOException
    {
        fail(Kind.OPEN, name);
    }

    @Override
    public void afterRead(final String name, final long offset, final ByteBuffer bytes) throws IOException
    {
        if (Long.BYTES != bytes.remaining())
        {
            fail(Kind.READ, name);
        }
    }

    private void fail(final Kind kind, final String name) throws IOException
    {
        if (isFailing(kind, false))
        {
            final String message = "injected: kind=" + kind + ", file=" + name;
            throw Mode.NO_SPACE == mode ? new NoSpaceException(message, null) : new IOException(message);
        }
    }
}
