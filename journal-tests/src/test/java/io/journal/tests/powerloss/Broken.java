// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;

import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.StepStore;

/** Journals that violate a guarantee, by altering what reaches the storage; the journal's own code is unchanged. */
enum Broken implements Variant
{
    /** Acknowledges records without an fsync. */
    NO_FORCE(Workload.APPEND_AND_FORCE,
        (store, step) -> StoreStep.Kind.FORCE == step.kind() && step.name().endsWith(Broken.SEGMENT)),

    /** Declares records durable before the name of their prepared segment is on the device. */
    DIRECTORY_NOT_FORCED(Workload.ROLL, (store, step) -> StoreStep.Kind.FORCE_DIRECTORY == step.kind()),

    /** Gives a prepared file its name before its length and its header are on the device. */
    PREPARED_FILE_NOT_FORCED(Workload.ROLL,
        (store, step) -> StoreStep.Kind.FORCE == step.kind() && step.name().startsWith(Broken.SPARE)),

    /** Retries a failed fsync, and believes that the retry covers the data. */
    FORCE_RETRIED(Workload.FAILED_FORCE, (store, step) -> false)
    {
        @Override
        public SegmentStore wrap(final FaultStore store)
        {
            return new StepStore(store, new RetriedForces());
        }
    },

    /** Trusts the page cache after a failed fsync. */
    RECOVERED_TAIL_NOT_REWRITTEN(Workload.FAILED_FORCE,
        (store, step) -> isSegmentWrite(step) && isThere(store, step)),

    /** Fsyncs the newest segment and forgets the segments before it. */
    LOWER_SEGMENTS_NOT_FORCED(Workload.ROLL,
        (store, step) -> StoreStep.Kind.FORCE == step.kind() && step.name().endsWith(Broken.SEGMENT) &&
            !step.name().equals(newestBegun(store))),

    /** Trusts the page cache for the state after a failed fsync, and writes the next state over the other slot. */
    CURRENT_SLOT_NOT_REWRITTEN(Workload.FAILED_CHANGE, (store, step) -> isStateWrite(step) && isThere(store, step)),

    /** Writes a truncation to one slot, which rots. */
    CUT_IN_ONE_SLOT(Workload.TRUNCATE, (store, step) -> isStateWrite(step) && isRepeated(store, step)),

    /** Writes the opening of a closed journal to one slot, which rots. */
    CLOSED_AT_IN_ONE_SLOT(Workload.REOPEN, (store, step) -> isStateWrite(step) && isRepeated(store, step)),

    /** Writes a lowered cursor to one slot, which rots. */
    LOWERED_CURSOR_IN_ONE_SLOT(Workload.CURSOR, (store, step) -> isStateWrite(step) && isRepeated(store, step)),

    /** Appends after a truncation that is not durable. */
    STATE_NOT_FORCED(Workload.TRUNCATE,
        (store, step) -> StoreStep.Kind.FORCE == step.kind() && step.name().equals(Broken.CONTROL)),

    /** Drops segments before the state says so durably. */
    PRUNING_WITHOUT_START(Workload.PRUNE,
        (store, step) -> isStateWrite(step) && 0 != le(step.bytes()).getLong(Broken.START_OFFSET)),

    /** Gives each use of a file the same salt. */
    RECYCLED_WITHOUT_SALT(Workload.RECYCLE, (store, step) -> false)
    {
        @Override
        public LongSupplier randoms(final Random random)
        {
            return () -> 1;
        }
    };

    private static final String SEGMENT = ".journal";
    private static final String SPARE = "spare-";
    private static final String CONTROL = JournalDirectory.CONTROL;
    private static final int HEADER_LENGTH = 4096;
    private static final int START_OFFSET = 40;
    // Two states that differ only in their generation are equal from this offset on.
    private static final int CONTENT_OFFSET = 8;

    private final Workload workload;
    private final BiPredicate<FaultStore, StoreStep> isIgnored;

    /**
     * @param isIgnored whether a step does not reach the storage.
     */
    Broken(final Workload workload, final BiPredicate<FaultStore, StoreStep> isIgnored)
    {
        this.workload = workload;
        this.isIgnored = isIgnored;
    }

    @Override
    public FaultPlan plan(final FaultStore store)
    {
        return (step) -> isIgnored.test(store, step) ? Fault.ignored() : Fault.none();
    }

    /** The workload that detects the violation. */
    Workload workload()
    {
        return workload;
    }

    private static boolean isSegmentWrite(final StoreStep step)
    {
        return StoreStep.Kind.WRITE == step.kind() && step.name().endsWith(SEGMENT);
    }

    private static boolean isStateWrite(final StoreStep step)
    {
        return StoreStep.Kind.WRITE == step.kind() && step.name().equals(CONTROL) &&
            step.offset() >= JournalDirectory.STATE_SLOTS[0] && step.offset() < JournalDirectory.WATERMARKS[0];
    }

    /** Whether a state repeats the state in the other slot. */
    private static boolean isRepeated(final FaultStore store, final StoreStep step)
    {
        final int[] slots = JournalDirectory.STATE_SLOTS;
        final byte[] written = bytes(step.bytes());
        final byte[] other =
            read(store, CONTROL, slots[slots[0] == step.offset() ? 1 : 0], written.length);
        final int end = written.length - Integer.BYTES;
        return Arrays.equals(written, CONTENT_OFFSET, end, other, CONTENT_OFFSET, end);
    }

    private static ByteBuffer le(final ByteBuffer buffer)
    {
        return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    private static boolean isThere(final FaultStore store, final StoreStep step)
    {
        return Arrays.equals(bytes(step.bytes()), read(store, step.name(), step.offset(), (int)step.length()));
    }

    private static String newestBegun(final FaultStore store)
    {
        try
        {
            return store.list().stream()
                .filter((name) -> name.endsWith(SEGMENT))
                .filter((name) -> !Arrays.equals(new byte[4], read(store, name, HEADER_LENGTH, 4)))
                .max(String::compareTo)
                .orElse("");
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static byte[] read(final FaultStore store, final String name, final long offset, final int length)
    {
        final byte[] bytes = new byte[length];
        try (SegmentFile file = store.open(name, SegmentStore.Access.READ))
        {
            file.read(offset, ByteBuffer.wrap(bytes));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        return bytes;
    }

    private static byte[] bytes(final ByteBuffer buffer)
    {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN).get(bytes);
        return bytes;
    }

    /** Retries a force that failed. */
    private static final class RetriedForces implements StepStore.AllSteps
    {
        @Override
        public boolean isForceRetried()
        {
            return true;
        }
    }
}
