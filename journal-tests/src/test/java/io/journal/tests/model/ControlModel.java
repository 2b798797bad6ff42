// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;

import io.journal.tests.model.Disk.FailedFsync;

import static io.journal.tests.model.Disk.CONTROL;
import static io.journal.tests.model.Disk.DIRECTORY;

/**
 * The protocol of the core on an abstract disk: one control file with two slots, terms, and cuts. See ADR 13. A frame
 * is a few cells long; everything that the protocol does not depend on is left out.
 * <p>
 * Invariants:
 * <ul>
 * <li>No cell that was part of the log is written again while its file has its name.</li>
 * <li>The newest cut, which may be empty, says where the current term begins. Everything before it is durable. The
 * first frame behind it is a mark of that term, or the log ends there.</li>
 * <li>Marks and cuts name the record before them by its term and sequence, so each of them confirms the whole log
 * before it. What does not agree is corruption.</li>
 * <li>Term, cuts, start, a cleared {@code closedAt} and a lowered cursor are durable in both slots before anything
 * depends on them.</li>
 * <li>The fence is a random number of each opening. It is stored before anything is read, and compared after the
 * watermark is stored and before anything is acknowledged.</li>
 * </ul>
 */
final class ControlModel
{
    static final int SEGMENT = 12;
    static final int FENCE = 2;
    private static final int WATERMARK = 3;
    private static final int MARK = 2;

    /**
     * Broken variants of the protocol, which the tests have to detect. The last two are simpler protocols that are as
     * safe.
     */
    enum Variant
    {
        NONE,
        ACKNOWLEDGED_BEFORE_FENCE_IS_READ,
        CUT_IN_ONE_SLOT,
        CLOSED_AT_IN_ONE_SLOT,
        LOWERED_CURSOR_IN_ONE_SLOT,
        CURRENT_SLOT_NOT_REWRITTEN,
        TAIL_NOT_REWRITTEN,
        PREVIOUS_RECORD_IGNORED,
        PREVIOUS_END_WITHOUT_TERM,
        RECYCLED_UNDER_READER,
        WATERMARK_OF_ANY_TERM,
        TERM_BEGINS_ANYWHERE,
        TORN_TAIL_OVERWRITTEN,
        CHECKPOINT_AGAINST_CUTS,
        TERMS_WITHOUT_IDENTITY,
        TORN_TAIL_OVERWRITTEN_WITH_TERM_IN_CHECKSUM,
        PREVIOUS_TERM_WITHOUT_END
    }

    record Term(int number, int identity)
    {
        static final Term NONE = new Term(0, 0);
    }

    record Mark(Term term, int durable, int previousEnd, Term previousTerm)
    {
    }

    /** Its checksum is mixed with the salt and the offset, so it is not valid elsewhere. */
    record Frame(int salt, int offset, int length, int sequence, int content, Term term, Mark mark)
    {
    }

    private record Cell(Frame frame, int index)
    {
    }

    private record Header(int salt, boolean isRecycled)
    {
    }

    /** A position, the sequence of the next record there, and the term of the record before it. */
    record Place(Term term, int position, int sequence)
    {
    }

    /** Positions from {@code from} to {@code to} are not in the log, which continues after them, as with a mark. */
    record Cut(Term term, int from, int to, int sequence, Term previousTerm)
    {
    }

    record Checkpoint(Term term, int sequence)
    {
    }

    record Entry(Term term, int sequence, int content, int begin, int end)
    {
        boolean isSame(final Entry other)
        {
            return term.equals(other.term) && sequence == other.sequence && content == other.content;
        }
    }

    record State(int generation, Term term, Place start, List<Cut> cuts, Map<String, Integer> cursors,
        List<Checkpoint> snapshots, Place closedAt)
    {
        State next()
        {
            return new State(generation + 1, term, start, cuts, cursors, snapshots, closedAt);
        }

        Cut newest()
        {
            return cuts.get(cuts.size() - 1);
        }
    }

    /** An immutable view of the log, held by a reader while the writer continues. */
    record Log(State state, NavigableMap<Integer, Integer> names)
    {
    }

    record Walked(List<Entry> entries, Place end, int liveEnd)
    {
    }

    enum Standing
    {
        VALID, PRUNED, TRUNCATED_OR_OF_ANOTHER_HISTORY
    }

    static final class Corrupt extends RuntimeException
    {
        private static final long serialVersionUID = 1;

        Corrupt(final String message)
        {
            super(message);
        }
    }

    static final class Fenced extends RuntimeException
    {
        private static final long serialVersionUID = 1;
    }

    final Set<Integer> held = new HashSet<>();
    private final Disk disk;
    private final Random random;
    private final Variant variant;
    private final int fence;
    private final ArrayDeque<Integer> spare = new ArrayDeque<>();
    private final Map<Integer, Integer> opened = new HashMap<>();
    private State state;
    private List<Entry> entries;
    private int tail;
    private int liveEnd;
    private Place durable;
    private boolean isMarkDue = true;

    private ControlModel(final Disk disk, final Random random, final Variant variant)
    {
        this.disk = disk;
        this.random = random;
        this.variant = variant;
        fence = random.nextInt();
    }

    static void create(final Disk disk)
    {
        final Place start = new Place(Term.NONE, 0, 1);
        disk.write(CONTROL, 0, new State(0, Term.NONE, start, List.of(new Cut(Term.NONE, 0, 0, 1, Term.NONE)), Map.of(),
            List.of(), null));
        disk.fsync(CONTROL);
    }

    static ControlModel open(final Disk disk, final Random random, final Variant variant)
    {
        final ControlModel model = new ControlModel(disk, random, variant);
        model.open();
        return model;
    }

    private void open()
    {
        // The fence comes first: from then on, a writer that has lost the lock acknowledges nothing that the scan below
        // misses.
        disk.step();
        disk.writeAtomic(CONTROL, FENCE, fence);
        disk.step();
        state = current(disk);
        final Place from = scanFrom();
        final Walked scan = walk(log(), from, state.start == from ? -1 : from.position());
        final Place end = scan.end;
        checkNothingDurableIsMissing(from, end);
        // The newest cut proves that nothing is missing: it is written only when everything before it is durable.
        final Walked whole = walk(log(), state.start, -1);
        if (whole.end.position != end.position || whole.end.sequence != end.sequence)
        {
            throw new Corrupt("the log ends at " + whole.end + ", expected=" + end + ", state=" + state);
        }
        entries = new ArrayList<>(whole.entries);
        final Term newTerm = newTerm();
        final int to = null == state.closedAt ? endOfTornTail(end.position()) : end.position();
        makeDurable(from.position(), end.position());
        final State opened = begin(newTerm, scan.liveEnd, to, end.sequence(), state.cursors, state.snapshots);
        if (Variant.CURRENT_SLOT_NOT_REWRITTEN != variant)
        {
            // A failed fsync may have left the state in the page cache only.
            disk.write(CONTROL, state.generation % 2, state);
            disk.fsync(CONTROL);
        }
        publish(opened, Variant.CLOSED_AT_IN_ONE_SLOT != variant || null == state.closedAt);
        unlink(
            (ordinal) -> ordinal * SEGMENT >= state.newest().to || (ordinal + 1) * SEGMENT <= state.start.position());
        unlinkWithin(state.newest());
        restart(scan.liveEnd);
    }

    private Place scanFrom()
    {
        final Cut newest = state.newest();
        final Place begin = new Place(state.term, newest.to, newest.sequence);
        if (null != state.closedAt)
        {
            return state.closedAt;
        }
        final Place watermark = (Place)disk.read(CONTROL, WATERMARK);
        // A writer that has lost the lock stores its watermark before it notices, so a watermark of another term proves
        // nothing.
        final Place from = null != watermark && (Variant.WATERMARK_OF_ANY_TERM == variant ||
            watermark.term.equals(state.term)) ? watermark : begin;
        return from.position < state.start.position ? state.start : from;
    }

    private void checkNothingDurableIsMissing(final Place from, final Place end)
    {
        for (final int ordinal : log().names.tailMap(end.position() / SEGMENT).keySet())
        {
            for (int position = ordinal * SEGMENT; position < (ordinal + 1) * SEGMENT; position++)
            {
                final Frame frame = position < end.position() ? null : frame(log(), position);
                if (null != frame && null != frame.mark && !isCut(position) &&
                    (frame.mark.term.number > state.term.number ||
                        frame.mark.term.equals(state.term) && frame.mark.durable > end.position()))
                {
                    throw new Corrupt("mark " + frame + " behind " + end + ", from=" + from);
                }
            }
        }
    }

    private boolean isCut(final int position)
    {
        return state.cuts.stream().anyMatch((cut) -> cut.from <= position && position < cut.to);
    }

    /** Nothing after it in this segment is torn. In a recycled file, a torn write cannot be told from stale bytes. */
    private int endOfTornTail(final int end)
    {
        if (isTornTailOverwritten())
        {
            return end;
        }
        final NavigableMap<Integer, Integer> names = log().names;
        int ordinal = end / SEGMENT;
        for (final Map.Entry<Integer, Integer> later : names.tailMap(ordinal).entrySet())
        {
            ordinal = null == disk.read(later.getValue(), 1) ? ordinal : later.getKey();
        }
        final Integer file = names.get(ordinal);
        if (null == file)
        {
            return end;
        }
        int to = Math.max(end, ordinal * SEGMENT);
        for (int position = to; position < (ordinal + 1) * SEGMENT; position++)
        {
            to = null == disk.read(file, 1 + position % SEGMENT) ? to : position + 1;
        }
        final boolean isUnclear = ((Header)disk.read(file, 0)).isRecycled || ordinal > end / SEGMENT;
        return isUnclear && to > end ? (ordinal + 1) * SEGMENT : to;
    }

    private boolean isTornTailOverwritten()
    {
        return Variant.TORN_TAIL_OVERWRITTEN == variant ||
            Variant.TORN_TAIL_OVERWRITTEN_WITH_TERM_IN_CHECKSUM == variant;
    }

    private void makeDurable(final int from, final int to)
    {
        for (final Map.Entry<Integer, Integer> name : log().names.entrySet())
        {
            final int begin = name.getKey() * SEGMENT;
            if (begin + SEGMENT > from && begin < to)
            {
                for (int i = Math.max(from, begin); i < Math.min(to, begin + SEGMENT); i++)
                {
                    if (Variant.TAIL_NOT_REWRITTEN != variant)
                    {
                        disk.write(name.getValue(), 1 + i % SEGMENT, disk.read(name.getValue(), 1 + i % SEGMENT));
                    }
                }
                disk.fsync(name.getValue());
            }
        }
        // The process that created the newest names may have been killed before it fsynced the directory.
        disk.fsync(DIRECTORY);
    }

    int append(final int content, final int length)
    {
        // Mark the beginning of the term even if the record does not fit after it. Otherwise a frame that a fenced
        // writer stored late at this place would be found once the newest cut is another cut.
        if (isMarkDue)
        {
            mark();
        }
        if (0 == tail % SEGMENT || SEGMENT - tail % SEGMENT < length)
        {
            tail = (tail + SEGMENT - 1) / SEGMENT * SEGMENT;
            mark();
        }
        final int sequence = nextSequence();
        put(length, sequence, content, null);
        entries.add(new Entry(state.term, sequence, content, tail - length, tail));
        isMarkDue = 0 != tail % SEGMENT && SEGMENT - tail % SEGMENT >= MARK && 0 == random.nextInt(4);
        return sequence;
    }

    private void mark()
    {
        if (0 == tail % SEGMENT)
        {
            addSegment(tail / SEGMENT);
        }
        put(MARK, nextSequence(), 0, new Mark(state.term, durable.position, liveEnd,
            termOf(nextSequence() - 1)));
        isMarkDue = false;
    }

    private void put(final int length, final int sequence, final int content, final Mark mark)
    {
        final int file = opened.computeIfAbsent(tail / SEGMENT, (ordinal) -> (Integer)disk.read(DIRECTORY, ordinal));
        final Frame frame = new Frame(((Header)disk.read(file, 0)).salt, tail % SEGMENT, length, sequence, content,
            state.term, mark);
        disk.step();
        checkFence();
        for (int i = 0; i < length; i++)
        {
            // A thread may be suspended here, after the check.
            disk.step();
            disk.write(file, 1 + frame.offset + i, new Cell(frame, i));
        }
        tail += length;
        liveEnd = tail;
    }

    private void addSegment(final int ordinal)
    {
        checkFence();
        final boolean isRecycled = !spare.isEmpty();
        final int file = isRecycled ? spare.remove() : disk.create();
        disk.step();
        disk.write(file, 0, new Header(random.nextInt(), isRecycled));
        disk.write(file, 1, null);
        disk.fsync(file);
        disk.step();
        disk.writeAtomic(DIRECTORY, ordinal, file);
        disk.fsync(DIRECTORY);
        opened.put(ordinal, file);
    }

    /** Returns the sequence up to which records are acknowledged. */
    int force()
    {
        final Place end = new Place(state.term, tail, nextSequence());
        if (end.position > durable.position && liveEnd == tail)
        {
            for (int ordinal = durable.position / SEGMENT; ordinal * SEGMENT < tail; ordinal++)
            {
                if (opened.containsKey(ordinal))
                {
                    disk.fsync(opened.get(ordinal));
                }
            }
            disk.step();
            disk.writeAtomic(CONTROL, WATERMARK, end);
            disk.step();
            if (Variant.ACKNOWLEDGED_BEFORE_FENCE_IS_READ != variant)
            {
                checkFence();
            }
            durable = end;
        }
        return end.sequence - 1;
    }

    void truncateAfter(final int sequence)
    {
        force();
        final int first = state.start.sequence;
        // Marks before the cut stay.
        final int from = entries.get(sequence + 1 - first).begin;
        final Map<String, Integer> cursors = new TreeMap<>(state.cursors);
        cursors.replaceAll((name, at) -> Math.min(at, sequence));
        final List<Checkpoint> snapshots = new ArrayList<>(state.snapshots);
        snapshots.removeIf((snapshot) -> snapshot.sequence > sequence);
        publish(begin(newTerm(), from, tail, sequence + 1, cursors, snapshots), Variant.CUT_IN_ONE_SLOT != variant);
        entries = new ArrayList<>(entries.subList(0, sequence + 1 - first));
        final Cut cut = state.newest();
        unlinkWithin(cut);
        restart(cut.from);
    }

    void prune(final int sequence)
    {
        final Entry wanted = entries.get(sequence - state.start.sequence);
        final int ordinal = (wanted.end - 1) / SEGMENT;
        final int begin = ordinal * SEGMENT;
        int first = 0;
        while ((entries.get(first).end - 1) / SEGMENT < ordinal)
        {
            first++;
        }
        if (first > 0)
        {
            final Place start = new Place(entries.get(first - 1).term, begin, entries.get(first).sequence);
            final List<Cut> cuts = new ArrayList<>(state.cuts);
            cuts.removeIf((cut) -> cut.to <= begin && !cut.equals(state.newest()));
            publish(new State(state.generation, state.term, start, List.copyOf(cuts), state.cursors,
                state.snapshots, null), true);
            entries = new ArrayList<>(entries.subList(first, entries.size()));
            unlink((old) -> old < ordinal);
        }
    }

    void saveCursor(final String name, final int sequence)
    {
        force();
        final Map<String, Integer> cursors = new TreeMap<>(state.cursors);
        final Integer old = cursors.put(name, sequence);
        publish(new State(state.generation, state.term, state.start, state.cuts, cursors, state.snapshots, null),
            Variant.LOWERED_CURSOR_IN_ONE_SLOT != variant && null != old && old > sequence);
    }

    void saveSnapshot()
    {
        final int sequence = force();
        final List<Checkpoint> snapshots = new ArrayList<>(state.snapshots);
        snapshots.removeIf((snapshot) -> snapshot.sequence == sequence);
        snapshots.add(checkpoint(sequence));
        publish(new State(state.generation, state.term, state.start, state.cuts, state.cursors,
            List.copyOf(snapshots.subList(Math.max(0, snapshots.size() - 2), snapshots.size())), null), false);
    }

    void close()
    {
        force();
        publish(new State(state.generation, state.term, state.start, state.cuts, state.cursors, state.snapshots,
            new Place(state.term, tail, nextSequence())), false);
    }

    /** State kept by a consumer that has processed this record. */
    Checkpoint checkpoint(final int sequence)
    {
        return new Checkpoint(Variant.CHECKPOINT_AGAINST_CUTS == variant ? state.term : termOf(sequence), sequence);
    }

    Standing standing(final Checkpoint checkpoint)
    {
        if (checkpoint.sequence < state.start.sequence - 1)
        {
            return Standing.PRUNED;
        }
        final boolean isValid = Variant.CHECKPOINT_AGAINST_CUTS == variant ?
            checkpoint.term.number <= state.term.number && state.cuts.stream()
                .noneMatch((cut) -> cut.term.number > checkpoint.term.number && cut.sequence <= checkpoint.sequence) :
            checkpoint.sequence < nextSequence() && termOf(checkpoint.sequence).equals(checkpoint.term);
        return isValid ? Standing.VALID : Standing.TRUNCATED_OR_OF_ANOTHER_HISTORY;
    }

    private Term termOf(final int sequence)
    {
        final int first = state.start.sequence;
        return sequence < first ? state.start.term : entries.get(sequence - first).term;
    }

    Log log()
    {
        return log(disk, state);
    }

    static Log log(final Disk disk, final State state)
    {
        final NavigableMap<Integer, Integer> names = new TreeMap<>();
        for (int ordinal = state.start.position / SEGMENT; ordinal < Disk.CELLS; ordinal++)
        {
            final Integer file = (Integer)disk.read(DIRECTORY, ordinal);
            // A file gets its name once its header is durable.
            if (null != file && disk.read(file, 0) instanceof Header)
            {
                names.put(ordinal, file);
            }
        }
        return new Log(state, names);
    }

    State state()
    {
        return state;
    }

    List<Entry> entries()
    {
        return entries;
    }

    int nextSequence()
    {
        return state.start.sequence + entries.size();
    }

    boolean isFull()
    {
        return tail / SEGMENT + 8 > Disk.CELLS;
    }

    static State current(final Disk disk)
    {
        final Object zero = disk.read(CONTROL, 0);
        final Object one = disk.read(CONTROL, 1);
        if (!(zero instanceof State) && !(one instanceof State))
        {
            throw new Corrupt("no valid slot");
        }
        return !(one instanceof State) || zero instanceof final State state && state.generation >
            ((State)one).generation ? (State)zero : (State)one;
    }

    private Term newTerm()
    {
        return new Term(state.term.number + 1, Variant.TERMS_WITHOUT_IDENTITY == variant ? 0 : random.nextInt());
    }

    /** A state in which a term begins. Cuts with no record between them are one cut. */
    private State begin(final Term term, final int cutFrom, final int end, final int sequence,
        final Map<String, Integer> cursors, final List<Checkpoint> snapshots)
    {
        int from = cutFrom;
        final List<Cut> cuts = new ArrayList<>(state.cuts);
        while (!cuts.isEmpty() && cuts.get(cuts.size() - 1).sequence >= sequence)
        {
            final Cut last = cuts.remove(cuts.size() - 1);
            // If the cut is empty, the mark after it stays in the log.
            from = last.from == last.to ? from : Math.min(from, last.from);
        }
        // Only the newest empty cut is needed: marks show where older terms begin.
        cuts.removeIf((cut) -> cut.from == cut.to);
        final int room = SEGMENT - end % SEGMENT;
        cuts.add(new Cut(term, from, room < MARK ? end + room : end, sequence,
            termOf(sequence - 1)));
        return new State(state.generation, term, state.start, List.copyOf(cuts), cursors, snapshots, null);
    }

    private void publish(final State change, final boolean isInBothSlots)
    {
        State next = change;
        for (int i = 0; i < (isInBothSlots ? 2 : 1); i++)
        {
            next = next.next();
            disk.step();
            checkFence();
            disk.step();
            disk.write(CONTROL, next.generation % 2, next);
            disk.fsync(CONTROL);
        }
        disk.step();
        checkFence();
        state = next;
    }

    private void restart(final int newLiveEnd)
    {
        final Cut newest = state.newest();
        tail = newest.to;
        liveEnd = Math.min(newLiveEnd, newest.from);
        durable = new Place(state.term, tail, nextSequence());
        isMarkDue = true;
    }

    /** The oldest segment stays, because repair begins at it. */
    private void unlinkWithin(final Cut cut)
    {
        if (random.nextBoolean())
        {
            unlink((ordinal) -> ordinal * SEGMENT >= cut.from && (ordinal + 1) * SEGMENT <= cut.to &&
                ordinal * SEGMENT > state.start.position());
        }
    }

    private void unlink(final IntPredicate isGone)
    {
        final List<Integer> files = new ArrayList<>();
        for (int ordinal = 0; ordinal < Disk.CELLS; ordinal++)
        {
            final Integer file = (Integer)disk.read(DIRECTORY, ordinal);
            if (null != file && isGone.test(ordinal))
            {
                disk.step();
                disk.writeAtomic(DIRECTORY, ordinal, null);
                files.add(file);
            }
        }
        if (!files.isEmpty())
        {
            disk.fsync(DIRECTORY);
            files.removeIf((file) -> Variant.RECYCLED_UNDER_READER != variant && held.contains(file));
            spare.addAll(files);
        }
    }

    private void checkFence()
    {
        if (!Integer.valueOf(fence).equals(disk.read(CONTROL, FENCE)))
        {
            throw new Fenced();
        }
    }

    /** All records of the log, as a reader receives them that starts with the oldest record. */
    static List<Entry> read(final Disk disk, final Log log, final Variant variant)
    {
        final ControlModel reader = new ControlModel(disk, new Random(0), variant);
        return new ArrayList<>(reader.walk(log, log.state.start, -1).entries);
    }

    private Walked walk(final Log log, final Place from, final int knownEnd)
    {
        final List<Cut> cuts = log.state.cuts;
        final List<Entry> found = new ArrayList<>();
        int next = 0;
        while (next < cuts.size() && cuts.get(next).to < from.position)
        {
            next++;
        }
        int position = from.position;
        int end = knownEnd;
        int sequence = from.sequence;
        Term term = from.term;
        // Term of the last record; null, unknown, if the scan begins after the oldest record.
        Term last = -1 == knownEnd ? from.term : null;
        Term begins = null;
        while (true)
        {
            if (next < cuts.size() && position >= cuts.get(next).from)
            {
                final Cut cut = cuts.get(next++);
                final boolean isAtCut = found.isEmpty() || end == cut.from && sequence == cut.sequence;
                if (Variant.PREVIOUS_RECORD_IGNORED != variant && (!isAtCut ||
                    Variant.PREVIOUS_END_WITHOUT_TERM != variant && null != last && !last.equals(cut.previousTerm)))
                {
                    // This is not the end: the cut was made after other records than those found here.
                    return new Walked(found, new Place(term, -1, sequence), end);
                }
                position = cut.to;
                sequence = cut.sequence;
                begins = Variant.TERM_BEGINS_ANYWHERE == variant ? null : cut.term;
                // A scan may begin where the term begins, and a log within a cut whose beginning is pruned.
                end = found.isEmpty() ? cut.from : end;
            }
            final Frame frame = frame(log, position);
            if (null == frame || null == frame.mark && (null != begins || frame.sequence != sequence) ||
                null == frame.mark && !isOfTerm(frame, term) ||
                null != frame.mark && !isNext(log, frame, sequence, end, term, last, begins))
            {
                final int segment = (position / SEGMENT + 1) * SEGMENT;
                final Frame first = null == begins && 0 != position % SEGMENT ? frame(log, segment) : null;
                if (null == first || null == first.mark || !isNext(log, first, sequence, end, term, last, begins))
                {
                    return new Walked(found, new Place(term, position, sequence), end);
                }
                position = segment;
                continue;
            }
            position += frame.length;
            end = position;
            if (null == frame.mark)
            {
                found.add(new Entry(term, sequence++, frame.content, end - frame.length, end));
                last = term;
            }
            else
            {
                term = frame.mark.term;
                begins = null;
            }
        }
    }

    private boolean isNext(final Log log, final Frame frame, final int sequence, final int end, final Term term,
        final Term last, final Term begins)
    {
        final Term next = frame.mark.term;
        return frame.sequence == sequence && (-1 == end || isAfter(frame.mark, end, last)) &&
            (null == begins ? next.equals(term) || next.number > term.number && next.number <= log.state.term.number :
                next.equals(begins));
    }

    private boolean isAfter(final Mark mark, final int end, final Term last)
    {
        final boolean isEndIgnored = Variant.PREVIOUS_RECORD_IGNORED == variant ||
            Variant.PREVIOUS_TERM_WITHOUT_END == variant;
        final boolean isTermIgnored = Variant.PREVIOUS_RECORD_IGNORED == variant ||
            Variant.PREVIOUS_END_WITHOUT_TERM == variant;
        return (isEndIgnored || mark.previousEnd == end) &&
            (isTermIgnored || null == last || mark.previousTerm.equals(last));
    }

    private boolean isOfTerm(final Frame frame, final Term term)
    {
        return Variant.TORN_TAIL_OVERWRITTEN_WITH_TERM_IN_CHECKSUM != variant || frame.term.equals(term);
    }

    private Frame frame(final Log log, final int position)
    {
        final Integer file = log.names.get(position / SEGMENT);
        if (null == file || !(disk.read(file, 0) instanceof final Header header) ||
            !(disk.read(file, 1 + position % SEGMENT) instanceof final Cell first) || 0 != first.index ||
            first.frame.salt != header.salt || first.frame.offset != position % SEGMENT)
        {
            return null;
        }
        for (int i = 1; i < first.frame.length; i++)
        {
            if (!(disk.read(file, 1 + position % SEGMENT + i) instanceof final Cell cell) ||
                first.frame != cell.frame ||
                i != cell.index)
            {
                return null;
            }
        }
        return first.frame;
    }

    /** The log as the segments alone show it, for a repair that has lost the control file. */
    static List<Entry> rebuilt(final Disk disk, final Variant variant)
    {
        final ControlModel repair = new ControlModel(disk, new Random(0), variant);
        final Log all = log(disk, new State(0, Term.NONE, new Place(Term.NONE, 0, 1), List.of(), Map.of(), List.of(),
            null));
        int start = all.names.isEmpty() ? 0 : all.names.firstKey() * SEGMENT;
        final List<Entry> found = new ArrayList<>();
        // The ends of what is live so far, each with the sequence of the record that would follow it.
        final Map<Integer, Integer> ends = new HashMap<>();
        Mark last = null;
        int sequence = -1;
        int end = -1;
        int position = start;
        while (position < Disk.CELLS * SEGMENT)
        {
            final Frame frame = repair.frame(all, position);
            final boolean isRecord =
                null != frame && null == frame.mark && null != last && frame.sequence == sequence &&
                    end == position && repair.isOfTerm(frame, last.term);
            final boolean isNext = null != frame && null != frame.mark && (null == last ||
                frame.sequence == sequence && frame.mark.term.equals(last.term) &&
                    repair.isAfter(frame.mark, end, termBefore(found, sequence)));
            final boolean isNewTerm = null != frame && null != frame.mark && null != last &&
                frame.mark.term.number > last.term.number && frame.sequence <= sequence &&
                (frame.mark.previousEnd < start || repair.isAfter(frame.mark,
                    Integer.valueOf(frame.sequence).equals(ends.get(frame.mark.previousEnd)) ?
                        frame.mark.previousEnd : -1,
                    termBefore(found, frame.sequence)));
            if (isNewTerm)
            {
                final int next = frame.sequence;
                found.removeIf((entry) -> entry.sequence >= next);
                ends.values().removeIf((after) -> after > next);
                sequence = next;
            }
            if (isRecord || isNext || isNewTerm)
            {
                end = position + frame.length;
                last = null == frame.mark ? last : frame.mark;
                sequence = frame.sequence + (isRecord ? 1 : 0);
                if (isRecord)
                {
                    found.add(new Entry(last.term, frame.sequence, frame.content, position, end));
                }
                else if (ends.isEmpty())
                {
                    start = position;
                    ends.put(position, sequence);
                }
                ends.put(end, sequence);
            }
            position = isRecord || isNext || isNewTerm ? end : position + 1;
        }
        return found;
    }

    private static Term termBefore(final List<Entry> entries, final int sequence)
    {
        return entries.stream().filter((entry) -> sequence - 1 == entry.sequence).map(Entry::term).findAny()
            .orElse(null);
    }

    static boolean hasMarkAbove(final Disk disk, final Term term)
    {
        final ControlModel reader = new ControlModel(disk, new Random(0), Variant.NONE);
        final Log log = log(disk, current(disk));
        for (final int ordinal : log.names.keySet())
        {
            for (int position = ordinal * SEGMENT; position < (ordinal + 1) * SEGMENT; position++)
            {
                final Frame frame = reader.frame(log, position);
                if (null != frame && null != frame.mark && frame.mark.term.number > term.number)
                {
                    return true;
                }
            }
        }
        return false;
    }

    static boolean isFailure(final RuntimeException ex)
    {
        return ex instanceof Fenced || ex instanceof FailedFsync;
    }
}
