// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

import io.journal.tests.model.ControlModel.Checkpoint;
import io.journal.tests.model.ControlModel.Entry;
import io.journal.tests.model.ControlModel.Log;
import io.journal.tests.model.ControlModel.Standing;
import io.journal.tests.model.ControlModel.State;
import io.journal.tests.model.ControlModel.Variant;

/**
 * A random history of a {@link ControlModel}, with an oracle that knows the records appended, acknowledged and cut.
 * Before a step, a fork of the disk crashes, is opened and continues. In the history itself, a session ends with a
 * crash, a clean close, a failed fsync, a second writer, or a restored backup. After an operation, copies of the disk
 * lose the control file or get an older file back.
 */
final class ControlHistory
{
    /** A fork crashes while it is opened or used, and so does a fork of it. */
    private static final int FORKS_DEEP = 2;
    private static final int STEPS_OF_A_FORK = 60;

    private final Random random;
    private final Variant variant;
    private final int depth;
    private final int stepsPerFork;
    private final Map<Checkpoint, Integer> identities;
    private final Map<String, Integer> cursors = new HashMap<>();
    private final List<Passed> passed = new ArrayList<>();
    private final List<Reading> readers = new ArrayList<>();
    private Disk disk;
    private ControlModel journal;
    private List<Entry> log = new ArrayList<>();
    private int acknowledged;
    private int written;
    private int start = 1;
    /** The sequence after which a truncation in progress cuts the log, or -1. */
    private int truncatedTo = -1;
    private int startInProgress = -1;
    private String cursorInProgress;
    private int cursorWanted;
    private boolean isSlotDamageAllowed = true;
    private boolean hasFsyncFailed;
    private int stepsToCrash = Integer.MAX_VALUE;
    private int stepsToUsurp = Integer.MAX_VALUE;
    private ControlHistory usurper;
    private int content;
    private Disk older;
    private long states;

    private record Passed(Checkpoint checkpoint, List<Entry> entries)
    {
    }

    private record Reading(Log log, List<Entry> entries)
    {
    }

    private static final class Crash extends RuntimeException
    {
        private static final long serialVersionUID = 1;
    }

    static final class Violation extends AssertionError
    {
        private static final long serialVersionUID = 1;

        Violation(final String message)
        {
            super(message);
        }
    }

    ControlHistory(final long seed, final Variant variant, final int stepsPerFork)
    {
        this.stepsPerFork = stepsPerFork;
        random = new Random(seed);
        this.variant = variant;
        depth = 0;
        identities = new HashMap<>();
        disk = new Disk();
        ControlModel.create(disk);
    }

    private ControlHistory(final ControlHistory other, final Disk disk)
    {
        random = new Random(other.random.nextLong());
        variant = other.variant;
        stepsPerFork = other.stepsPerFork;
        depth = other.depth + 1;
        identities = new HashMap<>(other.identities);
        cursors.putAll(other.cursors);
        passed.addAll(other.passed);
        this.disk = disk;
        log = new ArrayList<>(other.log);
        acknowledged = other.acknowledged;
        written = other.written;
        start = other.start;
        truncatedTo = other.truncatedTo;
        startInProgress = other.startInProgress;
        cursorInProgress = other.cursorInProgress;
        cursorWanted = other.cursorWanted;
        isSlotDamageAllowed = other.isSlotDamageAllowed;
        hasFsyncFailed = other.hasFsyncFailed;
        content = other.content + 1_000_000 * depth;
    }

    /** Returns how many disks were opened. */
    long run(final int lives)
    {
        Disk backup = null;
        ControlHistory backupOracle = null;
        for (int life = 0; life < lives; life++)
        {
            try
            {
                open();
                if (journal.isFull())
                {
                    return states;
                }
                if (0 == depth && null != backup && 0 == random.nextInt(8))
                {
                    restore(backup, backupOracle);
                    backup = null;
                    continue;
                }
                if (0 == depth && 0 == random.nextInt(4))
                {
                    backup = disk.copy();
                    backupOracle = new ControlHistory(this, backup);
                }
                live();
            }
            catch (final Crash ignore)
            {
                // The next session begins with the state that the crash has left.
            }
            catch (final Disk.FailedFsync ignore)
            {
                hasFsyncFailed = true;
            }
            crash();
        }
        stepsToCrash = Integer.MAX_VALUE;
        disk.failNextFsync(null);
        open();
        return states;
    }

    private void live()
    {
        final int operations = 1 + random.nextInt(0 == depth ? 16 : 6);
        for (int i = 0; i < operations && !journal.isFull(); i++)
        {
            if (0 == depth)
            {
                if (0 == random.nextInt(20))
                {
                    stepsToUsurp = random.nextInt(12);
                }
                if (0 == random.nextInt(30))
                {
                    disk.failNextFsync(random);
                }
            }
            try
            {
                final boolean isClosed = operate();
                if (0 == depth && null == usurper)
                {
                    checkLostControlFile(disk.copy());
                    checkPutBack();
                }
                if (null != usurper)
                {
                    checkAcknowledgedByStaleWriter();
                    return;
                }
                if (isClosed)
                {
                    return;
                }
            }
            catch (final RuntimeException ex)
            {
                if (!ControlModel.isFailure(ex))
                {
                    throw ex;
                }
                hasFsyncFailed |= null == usurper;
                takeOver();
                return;
            }
            checkReaders();
        }
    }

    private boolean operate()
    {
        final int kind = random.nextInt(20);
        if (kind < 6)
        {
            append();
        }
        else if (kind < 9)
        {
            append();
            acknowledged = Math.max(acknowledged, journal.force());
        }
        else if (kind < 12)
        {
            acknowledged = Math.max(acknowledged, journal.force());
        }
        else if (kind < 14)
        {
            truncate();
        }
        else if (kind < 15)
        {
            prune();
        }
        else if (kind < 17)
        {
            saveCursor();
        }
        else if (kind < 18)
        {
            journal.saveSnapshot();
            acknowledged = log.size();
        }
        else if (kind < 19)
        {
            final int sequence = start - 1 + random.nextInt(log.size() - start + 2);
            passed.add(new Passed(journal.checkpoint(sequence), List.copyOf(log.subList(0, sequence))));
            read();
        }
        else if (random.nextBoolean())
        {
            journal.close();
            acknowledged = log.size();
            return true;
        }
        return false;
    }

    private void append()
    {
        final Entry entry = new Entry(journal.state().term(), journal.nextSequence(), ++content, 0, 0);
        final Integer other = identities.put(new Checkpoint(entry.term(), entry.sequence()), content);
        check(null == other, "two records are " + entry);
        log.add(entry);
        // Mostly equal lengths, so that new records end at the same places as lost ones.
        journal.append(content, random.nextInt(3) > 0 ? 2 : 1 + random.nextInt(3));
        written = log.size();
    }

    private void truncate()
    {
        if (log.size() >= start)
        {
            truncatedTo = Math.max(start - 1, log.size() - 1 - random.nextInt(4));
            journal.truncateAfter(truncatedTo);
            cut(truncatedTo);
            checkCheckpoints();
        }
    }

    private void cut(final int size)
    {
        log = new ArrayList<>(log.subList(0, size));
        acknowledged = size;
        written = size;
        truncatedTo = -1;
        cursors.replaceAll((name, at) -> Math.min(at, size));
    }

    private void prune()
    {
        if (log.size() > start + 2)
        {
            startInProgress = start + random.nextInt(log.size() - start);
            journal.prune(startInProgress);
            startInProgress = -1;
            start = journal.state().start().sequence();
        }
    }

    private void saveCursor()
    {
        cursorInProgress = random.nextBoolean() ? "a" : "b";
        cursorWanted = random.nextInt(log.size() + 1);
        journal.saveCursor(cursorInProgress, cursorWanted);
        acknowledged = log.size();
        cursors.put(cursorInProgress, cursorWanted);
        cursorInProgress = null;
    }

    private void read()
    {
        final Log view = journal.log();
        journal.held.addAll(view.names().values());
        readers.add(new Reading(view, List.copyOf(journal.entries())));
    }

    private void checkReaders()
    {
        for (final Reading reader : readers)
        {
            final List<Entry> found = ControlModel.read(disk, reader.log, variant);
            check(isPrefix(reader.entries, found), "a reader of " + reader.log + " has " + found + ", expected=" +
                reader.entries + ", state=" + journal.state());
        }
    }

    private void step()
    {
        if (stepsToCrash-- <= 0)
        {
            throw new Crash();
        }
        if (null != journal && stepsToUsurp-- <= 0)
        {
            stepsToUsurp = Integer.MAX_VALUE;
            usurper = new ControlHistory(this, disk);
            usurper.isSlotDamageAllowed = false;
            disk.onStep(() ->
            {
            });
            usurper.openWithoutCrash();
            disk.onStep(this::step);
        }
        if (depth < FORKS_DEEP && null == usurper &&
            0 == random.nextInt(0 != depth ? 100 : hasFsyncFailed ? 1 : stepsPerFork))
        {
            final ControlHistory fork = new ControlHistory(this, disk.copy());
            fork.crash();
            fork.stepsToCrash = random.nextInt(STEPS_OF_A_FORK);
            states += fork.run(2);
        }
    }

    /** The second writer finds everything that the first writer has acknowledged. */
    private void checkAcknowledgedByStaleWriter()
    {
        final List<Entry> found = usurper.log;
        check(acknowledged <= found.size() && isPrefix(log.subList(0, acknowledged), found),
            "a stale writer has acknowledged " + acknowledged + " of " + log + ", found=" + found);
        check(start <= usurper.start, "a stale writer has pruned");
        cursors.forEach((name, at) -> check(at.equals(usurper.cursors.get(name)) || at > log.size(),
            "a stale writer has saved a cursor: " + name + "=" + at + ", found=" + usurper.cursors));
        takeOver();
    }

    private void takeOver()
    {
        if (null != usurper)
        {
            adoptUsurper();
            live();
        }
    }

    private void adoptUsurper()
    {
        if (null != usurper)
        {
            final ControlHistory second = usurper;
            usurper = null;
            journal = second.journal;
            log = second.log;
            acknowledged = second.acknowledged;
            written = second.written;
            start = second.start;
            cursors.clear();
            cursors.putAll(second.cursors);
            identities.putAll(second.identities);
            truncatedTo = -1;
            startInProgress = -1;
            cursorInProgress = null;
            isSlotDamageAllowed = false;
            content += 1000;
            readers.clear();
        }
    }

    /** Checks a repair without the control file. It cannot know a cut after which no mark was written. */
    private void checkLostControlFile(final Disk copy)
    {
        final List<Entry> found = ControlModel.rebuilt(copy, variant);
        final List<Entry> live = journal.entries();
        final boolean isUnmarked = !live.isEmpty() &&
            !live.get(live.size() - 1).term().equals(journal.state().term()) || live.isEmpty();
        check(isUnmarked ? isPrefix(live, found) : isPrefix(live, found) && isPrefix(found, live),
            "repair has found " + found + ", expected=" + live + ", state=" + journal.state());
    }

    /**
     * Checks that an older segment or control file in the place of the current file is reported, or loses nothing that
     * can be known.
     */
    private void checkPutBack()
    {
        if (null == older || 0 == random.nextInt(3))
        {
            older = 0 == random.nextInt(3) ? disk.copy() : older;
            return;
        }
        final List<Integer> ordinals = new ArrayList<>(journal.log().names().keySet());
        ordinals.removeIf((ordinal) -> null == older.read(Disk.DIRECTORY, ordinal));
        if (!ordinals.isEmpty())
        {
            final int ordinal = ordinals.get(random.nextInt(ordinals.size()));
            final Disk copy = disk.copy();
            copy.putBack(older, (Integer)older.read(Disk.DIRECTORY, ordinal),
                (Integer)copy.read(Disk.DIRECTORY, ordinal));
            checkNoMix(ControlModel.rebuilt(copy, variant), "repair with an older segment " + ordinal);
            checkOpenedOrRefused(copy, false);
        }
        final Disk copy = disk.copy();
        copy.putBack(older, Disk.CONTROL, Disk.CONTROL);
        checkOpenedOrRefused(copy, !ControlModel.hasMarkAbove(copy, ControlModel.current(copy).term()));
    }

    private void checkOpenedOrRefused(final Disk copy, final boolean isUnknowable)
    {
        final ControlModel opened;
        try
        {
            opened = ControlModel.open(copy, random, variant);
        }
        catch (final ControlModel.Corrupt ignore)
        {
            return;
        }
        final List<Entry> found = new ArrayList<>(log.subList(0, opened.state().start().sequence() - 1));
        found.addAll(opened.entries());
        check(isUnknowable || found.size() >= acknowledged && isPrefix(found, log), "an older file was taken: found=" +
            found + ", expected=" + log + ", state=" + opened.state());
    }

    private void checkNoMix(final List<Entry> found, final String message)
    {
        boolean isOther = false;
        for (final Entry entry : found)
        {
            final boolean isSame = entry.sequence() <= log.size() && log.get(entry.sequence() - 1).isSame(entry);
            check(!isSame || !isOther, message + ": a mix, found=" + found + ", expected=" + log);
            isOther |= !isSame;
        }
    }

    private void restore(final Disk backup, final ControlHistory oracle)
    {
        disk = backup.copy();
        log = new ArrayList<>(oracle.log);
        acknowledged = oracle.acknowledged;
        written = oracle.written;
        start = oracle.start;
        cursors.clear();
        cursors.putAll(oracle.cursors);
        journal = null;
        older = null;
        readers.clear();
    }

    private void crash()
    {
        adoptUsurper();
        journal = null;
        readers.clear();
        stepsToUsurp = Integer.MAX_VALUE;
        stepsToCrash = random.nextInt(4) > 0 ? random.nextInt(0 == depth ? 200 : STEPS_OF_A_FORK) : Integer.MAX_VALUE;
        // After a failed fsync the page cache shows what the device lacks, until the power is lost later.
        final boolean isPowerLost = random.nextInt(4) > 0 != (hasFsyncFailed && 0 == depth);
        stepsToCrash = hasFsyncFailed && !isPowerLost ? random.nextInt(20) : stepsToCrash;
        if (isPowerLost)
        {
            disk.losePower(random);
            written = acknowledged;
        }
        else if (hasFsyncFailed)
        {
            disk.dropClean(random);
            written = acknowledged;
        }
        final boolean isDamaged = isSlotDamageAllowed && isPowerLost && !hasFsyncFailed && 0 == random.nextInt(6) &&
            disk.read(Disk.CONTROL, 0) instanceof State && disk.read(Disk.CONTROL, 1) instanceof State;
        if (isDamaged)
        {
            disk.damage(Disk.CONTROL, random.nextInt(2));
            // The other slot may be one save of a cursor older. A negative value is the complement of the saved one.
            cursors.replaceAll((name, at) -> at < 0 ? at : ~at);
        }
    }

    private void openWithoutCrash()
    {
        disk.failNextFsync(null);
        openOrReport();
    }

    private void open()
    {
        disk.onStep(this::step);
        journal = null;
        states++;
        openOrReport();
    }

    private void openOrReport()
    {
        try
        {
            journal = ControlModel.open(disk, random, variant);
        }
        catch (final ControlModel.Corrupt ex)
        {
            throw new Violation("refused: " + ex.getMessage());
        }
        opened();
    }

    private void opened()
    {
        final State state = journal.state();
        final int newStart = state.start().sequence();
        check(newStart == start || startInProgress >= newStart && newStart > start,
            "start=" + newStart + ", expected=" +
                start);
        final List<Entry> found = new ArrayList<>(log.subList(0, newStart - 1));
        found.addAll(journal.entries());
        final boolean isLog = isPrefix(found, log) && found.size() >= written && found.size() >= acknowledged;
        final boolean isTruncated = -1 != truncatedTo && found.size() == truncatedTo && isPrefix(found, log);
        check(isLog || isTruncated, "found=" + found + ", expected=" + log + ", acknowledged=" + acknowledged +
            ", written=" + written + ", truncatedTo=" + truncatedTo + ", state=" + state);
        final Set<String> names = new HashSet<>(state.cursors().keySet());
        names.addAll(cursors.keySet());
        for (final String name : names)
        {
            checkCursor(name, state.cursors().get(name), found.size());
        }
        log = found;
        acknowledged = log.size();
        written = log.size();
        start = newStart;
        truncatedTo = -1;
        startInProgress = -1;
        cursorInProgress = null;
        cursors.clear();
        cursors.putAll(state.cursors());
        hasFsyncFailed = false;
        isSlotDamageAllowed = true;
        state.snapshots().forEach((snapshot) -> check(
            Standing.TRUNCATED_OR_OF_ANOTHER_HISTORY != journal.standing(snapshot),
            "snapshot=" + snapshot + ", " + log));
        checkCheckpoints();
    }

    private void checkCursor(final String name, final Integer found, final int size)
    {
        final Integer saved = cursors.get(name);
        final boolean isWanted = name.equals(cursorInProgress) && null != found && found == cursorWanted;
        final int most = null == saved ? -1 : saved < 0 ? ~saved : saved;
        final boolean isSaved = null == saved ? null == found : saved < 0 ? null == found || found <= most :
            null != found && (found == most || -1 != truncatedTo && found == Math.min(most, truncatedTo));
        check((isWanted || isSaved) && (null == found || found <= size), "cursor " + name + "=" + found + ", saved=" +
            saved + ", size=" + size);
    }

    private void checkCheckpoints()
    {
        for (final Passed each : passed)
        {
            final Standing expected = each.entries.size() < start - 1 ? Standing.PRUNED :
                isPrefix(each.entries, log) ? Standing.VALID : Standing.TRUNCATED_OR_OF_ANOTHER_HISTORY;
            final Standing found = journal.standing(each.checkpoint);
            check(expected == found, each + " is " + found + ", expected=" + expected + ", log=" + log + ", state=" +
                journal.state());
        }
    }

    private static boolean isPrefix(final List<Entry> prefix, final List<Entry> whole)
    {
        if (prefix.size() > whole.size())
        {
            return false;
        }
        for (int i = 0; i < prefix.size(); i++)
        {
            if (!prefix.get(i).isSame(whole.get(i)))
            {
                return false;
            }
        }
        return true;
    }

    private static void check(final boolean isTrue, final String message)
    {
        if (!isTrue)
        {
            throw new Violation(message);
        }
    }
}
