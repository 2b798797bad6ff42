package io.journal;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongConsumer;

import io.journal.internal.files.CursorFile;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.recover.JournalCreation;
import io.journal.store.Backend;
import io.journal.store.FileType;
import io.journal.store.SegmentStore;
import io.journal.store.Window;

/**
 * Reads every frame of a journal, its cursors and the other files it needs, and reports what is damaged. Changes
 * nothing, takes no lock and maps no segment, so files that are damaged, hostile or changed meanwhile can at worst be
 * reported.
 * <p>
 * First {@link #open}, then {@link #check} each of {@link #ordinals()}, by as many threads as one likes, then give the
 * results to {@link #conclude}. Opening a journal looks only at its newest part; this looks at all of it.
 * <p>
 * A journal that is appended to meanwhile can be verified: what changes while it is read may look like damage once, and
 * does not when it is checked again. Immutable; safe for use by several threads.
 */
public final class JournalVerifier
{
    static final long UNKNOWN = FrameCursor.ANY_SEQUENCE;

    private static final int WINDOW_LENGTH = 1024 * 1024;
    // More of them in one segment would tell nobody anything.
    private static final int MAX_BREAKS = 1000;
    private static final String CURSORS_PREFIX = JournalFiles.CURSORS + "/";

    private final Path path;
    private final SegmentStore store;
    private final JournalMeta meta;
    private final MarkFile.Content mark;
    private final Layout layout;
    private final List<Long> ordinals;
    private final List<String> foreign;
    private final CursorFiles cursors;
    private final IOException cursorsFailure;

    private JournalVerifier(
        final Path path,
        final SegmentStore store,
        final JournalMeta meta,
        final MarkFile.Content mark,
        final List<Long> ordinals,
        final List<String> foreign,
        final CursorFiles cursors,
        final IOException cursorsFailure)
    {
        this.path = path;
        this.store = store;
        this.meta = meta;
        this.mark = mark;
        layout = new Layout(meta.segmentLength);
        this.ordinals = Collections.unmodifiableList(ordinals);
        this.foreign = List.copyOf(foreign);
        this.cursors = cursors;
        this.cursorsFailure = cursorsFailure;
    }

    /**
     * Reads who a journal is, and which segments it has.
     *
     * @param path of the journal's directory.
     * @return a verifier of what is there now.
     * @throws CorruptJournalException    if {@code journal.meta} is damaged, or gone while there are segments.
     * @throws UnsupportedFormatException if the journal is of a newer format.
     * @throws JournalException           if there is no journal, or it cannot be read.
     */
    public static JournalVerifier open(final Path path)
    {
        return open(path, Backend.FILE_CHANNEL.store(path));
    }

    static JournalVerifier open(final Path path, final SegmentStore store)
    {
        try
        {
            if (FileType.DIRECTORY != FileType.of(path))
            {
                throw new JournalException("no journal here: not a directory: path=" + path);
            }
            final List<String> names = store.list();
            if (!names.contains(JournalFiles.META))
            {
                throw withoutMeta(path, names);
            }

            final JournalMeta meta = JournalMeta.read(store, false);
            final List<Long> ordinals = new ArrayList<>();
            final List<String> foreign = new ArrayList<>();
            for (final String name : names)
            {
                if (JournalFiles.isSegment(name))
                {
                    add(name, ordinals, foreign);
                }
            }
            final Layout layout = new Layout(meta.segmentLength);
            final JournalMeta.Cut pending = meta.state.pending;
            ordinals.removeIf((ordinal) -> ordinal < layout.ordinal(meta.state.startPosition) ||
                (null != pending && ordinal > layout.ordinal(pending.position)));
            Collections.sort(ordinals);

            final MarkFile.Content mark = MarkFile.read(store, meta.uuid);
            // Before any segment is read: a record is durable before a cursor is saved at it, so the segments have it.
            CursorFiles cursors = null;
            IOException cursorsFailure = null;
            try
            {
                cursors = CursorFiles.look(store, meta.uuid);
            }
            catch (final IOException ex)
            {
                cursorsFailure = ex;
            }

            return new JournalVerifier(path, store, meta, mark, ordinals, foreign, cursors, cursorsFailure);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    private static JournalException withoutMeta(final Path path, final List<String> names)
    {
        if (names.contains(JournalFiles.BACKUP))
        {
            return JournalCreation.unfinishedBackup();
        }

        return names.stream().anyMatch(JournalFiles::isSegment) ?
            new CorruptJournalException(
                "segments without a journal: path=" + path + ", expected=" + JournalFiles.META +
                    ", found=none; restore it from a backup, or let a repair rebuild it") :
            new JournalException("no journal here: no " + JournalFiles.META + " in the directory: path=" + path);
    }

    private static void add(final String name, final List<Long> ordinals, final List<String> foreign)
    {
        try
        {
            ordinals.add(JournalFiles.ordinal(name));
        }
        catch (final CorruptJournalException ex)
        {
            foreign.add(name);
        }
    }

    /**
     * Where the journal is.
     *
     * @return the directory.
     */
    public Path path()
    {
        return path;
    }

    /**
     * Who the journal is.
     *
     * @return what all its files carry.
     */
    public UUID uuid()
    {
        return meta.uuid;
    }

    /**
     * Length of each segment.
     *
     * @return bytes.
     */
    public int segmentLength()
    {
        return meta.segmentLength;
    }

    /**
     * Number of the state in {@code journal.meta}: another one says that something was pruned or cut meanwhile.
     *
     * @return the generation.
     */
    public long generation()
    {
        return meta.state.generation;
    }

    /**
     * How often the journal's end was cut.
     *
     * @return the truncation epoch.
     */
    public long epoch()
    {
        return meta.state.epoch;
    }

    /**
     * The first record that was not pruned.
     *
     * @return its sequence.
     */
    public long firstSequence()
    {
        return meta.state.startSequence;
    }

    /**
     * Where a truncation that the next opening will finish is going to cut.
     *
     * @return position in bytes, or -1 if none is pending.
     */
    public long pendingCut()
    {
        return null == meta.state.pending ? -1 : meta.state.pending.position;
    }

    /**
     * What the mark file says was forced.
     *
     * @return position in bytes, or 0 if the file is not there or says nothing.
     */
    public long markedPosition()
    {
        final JournalMeta.State state = meta.state;
        if (null == state.pending)
        {
            return mark.forcedPosition(state.epoch);
        }

        return Math.max(
            mark.forcedPosition(state.epoch),
            Math.min(state.pending.position, mark.forcedPosition(state.epoch - 1)));
    }

    /**
     * Whether a force was under way, or failed, when the last writer died, or one is under way now; or nothing is known
     * of that.
     *
     * @return true if the mark file says so, or says nothing.
     */
    public boolean isForceUnfinished()
    {
        return mark.isForceUnfinished;
    }

    /**
     * The segments to check.
     *
     * @return their ordinals, ascending, without those that a pending truncation or prune is going to remove.
     */
    public List<Long> ordinals()
    {
        return ordinals;
    }

    /**
     * Names in the directory that claim to be segments and cannot be any: opening refuses them.
     *
     * @return file names.
     */
    public List<String> foreign()
    {
        return foreign;
    }

    /**
     * Name of a segment's file.
     *
     * @param ordinal of the segment.
     * @return the file name.
     */
    public static String fileName(final long ordinal)
    {
        return JournalFiles.segment(ordinal);
    }

    /**
     * Reads every frame of a segment. Damage is passed over to the next mark, which tells where to go on.
     *
     * @param ordinal  of the segment.
     * @param progress is given how many bytes more were read.
     * @return what was found.
     */
    public SegmentCheck check(final long ordinal, final LongConsumer progress)
    {
        final SegmentCheck check = new SegmentCheck(ordinal);
        try (FrameCursor cursor = new FrameCursor(Window.copying(Math.min(WINDOW_LENGTH, meta.segmentLength))))
        {
            cursor.attach(Segment.open(
                store, SegmentStore.Access.READ, false, meta.uuid, ordinal, meta.segmentLength));
            check(cursor, check, progress);
        }
        catch (final CorruptJournalException ex)
        {
            check.unreadable = ex.getMessage();
        }
        catch (final UnsupportedFormatException ex)
        {
            check.unreadable = ex.getMessage();
            check.isNewer = true;
        }
        catch (final IOException ex)
        {
            check.unreadable = "cannot be read: " + ex;
            check.isReadFailed = isFile(ordinal);
        }

        return check;
    }

    private boolean isFile(final long ordinal)
    {
        return FileType.REGULAR_FILE == typeOf(JournalFiles.segment(ordinal));
    }

    private void check(final FrameCursor cursor, final SegmentCheck check, final LongConsumer progress)
        throws IOException
    {
        final int limit = limit(check.ordinal);
        int reported = 0;
        int offset = SegmentHeader.LENGTH;
        while (offset < limit)
        {
            final int next = read(cursor, check, offset, limit);
            if (next < 0)
            {
                break;
            }
            offset = next;
            if (offset - reported >= WINDOW_LENGTH / 4)
            {
                progress.accept(offset - reported);
                reported = offset;
            }
        }

        check.endOffset = offset;
        progress.accept(meta.segmentLength - reported);
    }

    private int limit(final long ordinal)
    {
        final JournalMeta.Cut cut = meta.state.pending;
        return null != cut && layout.ordinal(cut.position) == ordinal ?
            layout.offset(cut.position) : meta.segmentLength;
    }

    /**
     * Where what lies behind the journal's end ends in a segment.
     *
     * @param nextSequence expected at the journal's end.
     * @return offset, at least {@code from}.
     */
    int contentEnd(final long ordinal, final int from, final long nextSequence)
    {
        final int limit = limit(ordinal);
        if (from >= limit)
        {
            return from;
        }

        try (FrameCursor cursor = new FrameCursor(Window.copying(Math.min(WINDOW_LENGTH, meta.segmentLength))))
        {
            cursor.attach(Segment.open(
                store, SegmentStore.Access.READ, false, meta.uuid, ordinal, meta.segmentLength));
            return cursor.segment().isRecycled && UNKNOWN != nextSequence ?
                cursor.lastFrame(from, limit, nextSequence) : cursor.lastContent(from, limit);
        }
        catch (final JournalException | IOException ex)
        {
            // It could be read before, and cannot now: a writer is at work.
            return from;
        }
    }

    /**
     * @return offset of the next frame, or -1 if none can be found.
     */
    private int read(final FrameCursor cursor, final SegmentCheck check, final int offset, final int limit)
        throws IOException
    {
        try
        {
            final FrameCursor.Verdict verdict = cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE);
            final boolean isValid = SegmentHeader.LENGTH == offset ?
                cursor.isMark(verdict) : FrameCursor.Verdict.VALID == verdict;
            if (!isValid)
            {
                return passOver(cursor, check, offset, limit, found(cursor, verdict));
            }
        }
        catch (final IOException ex)
        {
            check.breaks.add(new Break(
                check.ordinal, offset, check.nextSequence, UNKNOWN, Break.Kind.READ, "cannot be read: " + ex));
            return -1;
        }

        if (UNKNOWN != check.nextSequence && cursor.sequence() != check.nextSequence)
        {
            check.breaks.add(new Break(
                check.ordinal, offset, check.nextSequence, cursor.sequence(), Break.Kind.SEQUENCE,
                "sequence " + cursor.sequence()));
        }
        count(cursor, check);
        return cursor.nextOffset();
    }

    private static String found(final FrameCursor cursor, final FrameCursor.Verdict verdict)
    {
        if (FrameCursor.Verdict.VALID == verdict)
        {
            return "another frame than a mark";
        }

        final String text = cursor.describe(verdict, FrameCursor.ANY_SEQUENCE);
        return text.substring(text.indexOf("found=") + "found=".length());
    }

    private static int passOver(
        final FrameCursor cursor, final SegmentCheck check, final int offset, final int limit, final String found)
        throws IOException
    {
        final int next = check.breaks.size() < MAX_BREAKS ?
            cursor.findMark(offset + FrameHeader.ALIGNMENT, limit) : -1;
        final long sequence = next < 0 ? UNKNOWN : cursor.sequence();
        check.breaks.add(
            new Break(check.ordinal, offset, check.nextSequence, sequence, Break.Kind.FRAME, found));
        if (next >= 0)
        {
            check.nextSequence = sequence;
        }
        return next;
    }

    private static void count(final FrameCursor cursor, final SegmentCheck check)
    {
        check.frames++;
        if (UNKNOWN == check.firstSequence)
        {
            check.firstSequence = cursor.sequence();
        }
        check.isClosed = cursor.isControl() && FrameHeader.CLOSE == cursor.kind();
        if (!cursor.isControl() || FrameHeader.BATCH == cursor.kind())
        {
            check.records += cursor.nextSequence() - cursor.sequence();
        }
        else if (FrameHeader.MARK == cursor.kind())
        {
            final long timeMs = cursor.markTimeMs();
            check.firstTimeMs = 0 == check.firstTimeMs ? timeMs : check.firstTimeMs;
            check.lastTimeMs = timeMs;
            check.forcedPosition = Math.max(check.forcedPosition, cursor.forcedPosition());
        }
        else if (0 != (cursor.kind() & FrameHeader.CRITICAL))
        {
            check.breaks.add(new Break(
                check.ordinal, cursor.offset(), cursor.sequence(), cursor.sequence(), Break.Kind.FORMAT,
                "critical control frame of kind " + Long.toHexString(cursor.kind())));
        }
        check.nextSequence = cursor.nextSequence();
    }

    /**
     * Puts together what was found in the segments, and measures what lies behind the end.
     *
     * @param checks of all segments, ascending.
     * @return what it means.
     */
    public Verdict conclude(final List<SegmentCheck> checks)
    {
        return new Conclusion(this, layout, checks).conclude();
    }

    long startPosition()
    {
        return meta.state.startPosition;
    }

    /**
     * What is wrong with a truncation that the next opening is to finish.
     *
     * @return the fault, or null.
     */
    String cutFault()
    {
        final JournalMeta.State state = meta.state;
        final JournalMeta.Cut cut = state.pending;
        if (null == cut)
        {
            return null;
        }

        final long forced = mark.forcedPosition(state.epoch);
        final boolean isPossible = cut.position >= state.startPosition + SegmentHeader.LENGTH &&
            cut.position < Layout.MAX_POSITION && 0 == (cut.position & (FrameHeader.ALIGNMENT - 1)) &&
            layout.offset(cut.position) >= SegmentHeader.LENGTH && cut.sequence >= state.startSequence &&
            cut.zeroEnd >= cut.position &&
            cut.zeroEnd <= layout.position(layout.ordinal(cut.position) + 1, 0) &&
            ordinals.contains(layout.ordinal(cut.position)) && forced <= cut.position;
        return isPossible ? null : "position " + cut.position + ", sequence " + cut.sequence + ", end " + cut.zeroEnd +
            ", forced up to " + forced;
    }

    /**
     * Why the directory of the cursors cannot be listed, or null.
     */
    IOException cursorsFailure()
    {
        return cursorsFailure;
    }

    /**
     * CursorFiles that cannot be used, by name, with the reason.
     */
    Map<String, JournalException> unusableCursors()
    {
        return null == cursors ? Map.of() : cursors.unusable(meta.state);
    }

    /**
     * CursorFiles that were saved at a record behind the last one, by name, with the reason.
     */
    Map<String, JournalException> cursorsAhead(final long lastSequence)
    {
        return null == cursors ? Map.of() : cursors.aheadOfEnd(meta.state, lastSequence);
    }

    /**
     * Whether {@code journal.mark} tells a durable watermark of this journal that is not of an earlier truncation.
     */
    boolean isMarkUsable()
    {
        return mark.isOf(meta.state.epoch) || null != meta.state.pending && mark.isOf(meta.state.epoch - 1);
    }

    /**
     * Whether there is an entry of a name that is no directory, nor a link to one.
     */
    boolean isNoDirectory(final String name)
    {
        final Path entry = path.resolve(name);
        try
        {
            // A link to a directory is one; a link that leads nowhere is not.
            return FileType.DIRECTORY != FileType.of(entry) &&
                FileType.ABSENT != FileType.of(entry, LinkOption.NOFOLLOW_LINKS);
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /**
     * Whether there is an entry of a name that is no regular file.
     */
    boolean isNoFile(final String name)
    {
        final FileType type = typeOf(name);
        return FileType.DIRECTORY == type || FileType.OTHER == type;
    }

    /**
     * What lies under a name. A regular file, until the opposite is known: reading it says why it cannot be read.
     */
    private FileType typeOf(final String name)
    {
        try
        {
            return FileType.of(path.resolve(name), LinkOption.NOFOLLOW_LINKS);
        }
        catch (final IOException ex)
        {
            return FileType.REGULAR_FILE;
        }
    }

    /** A place where reading frame after frame comes to an end, or goes on with another record. */
    static final class Break
    {
        enum Kind
        {
            /** No valid frame. */
            FRAME,
            /** A valid frame of another sequence. */
            SEQUENCE,
            /** Bytes that the device, or a lack of rights, withholds. */
            READ,
            /** A frame that must not be skipped, of a kind that this version does not know. */
            FORMAT
        }

        final long ordinal;
        final int offset;
        final long sequence;
        final long nextSequence;
        final Kind kind;
        final String found;

        Break(
            final long ordinal,
            final int offset,
            final long sequence,
            final long nextSequence,
            final Kind kind,
            final String found)
        {
            this.ordinal = ordinal;
            this.offset = offset;
            this.sequence = sequence;
            this.nextSequence = nextSequence;
            this.kind = kind;
            this.found = found;
        }
    }

    /**
     * What one segment holds.
     */
    public static final class SegmentCheck
    {
        final long ordinal;
        final List<Break> breaks = new ArrayList<>();
        String unreadable;
        boolean isNewer;
        boolean isReadFailed;
        boolean isClosed;
        long firstSequence = UNKNOWN;
        long nextSequence = UNKNOWN;
        long frames;
        long records;
        long firstTimeMs;
        long lastTimeMs;
        long forcedPosition;
        int endOffset = SegmentHeader.LENGTH;

        private SegmentCheck(final long ordinal)
        {
            this.ordinal = ordinal;
        }

        /**
         * Number of the segment.
         *
         * @return the ordinal.
         */
        public long ordinal()
        {
            return ordinal;
        }

        /**
         * How many valid frames it holds, control frames among them.
         *
         * @return the count.
         */
        public long frames()
        {
            return frames;
        }

        /**
         * How many records can be read.
         *
         * @return the count.
         */
        public long records()
        {
            return records;
        }

        /**
         * The first record in it, or the one that will be.
         *
         * @return its sequence, or -1 if it is not known.
         */
        public long firstSequence()
        {
            return firstSequence;
        }

        /**
         * The sequence that follows the last record that could be read.
         *
         * @return the sequence, or -1 if it is not known.
         */
        public long nextSequence()
        {
            return nextSequence;
        }

        /**
         * Where the last frame that could be read ends.
         *
         * @return offset in the segment's file.
         */
        public int endOffset()
        {
            return endOffset;
        }

        /**
         * Whether that last frame says that the journal was closed.
         *
         * @return true if it is a close frame.
         */
        public boolean isClosed()
        {
            return isClosed;
        }

        /**
         * When the segment's first mark was written.
         *
         * @return milliseconds since 1970, by the writer's clock; 0 if there is none.
         */
        public long firstTimeMs()
        {
            return firstTimeMs;
        }

        /**
         * When the segment's last mark was written.
         *
         * @return milliseconds since 1970, by the writer's clock; 0 if there is none.
         */
        public long lastTimeMs()
        {
            return lastTimeMs;
        }
    }

    /** What a finding is. */
    public enum Severity
    {
        /** Something durable, or needed to read it, is not what was written. */
        DAMAGE,
        /** Something beside the records is damaged, such as a cursor. The records are whole. */
        UNUSABLE,
        /** Something that a newer version of the library has written. */
        NEWER_FORMAT,
        /** Something that could not be read, because of missing rights or a failing device: it may be whole. */
        UNREADABLE,
        /** Bytes behind the end that are not known to be durable, as a crash or an active writer leaves them. */
        TAIL,
        /** No damage, but something that limits what can be concluded. */
        NOTE
    }

    /**
     * One thing that was found.
     *
     * @param severity of the finding.
     * @param file     it is in, or that is missing.
     * @param offset   in the file.
     * @param position of the place in the journal, or -1.
     * @param sequence of the record expected there, or -1 if that is not known.
     * @param lost     how many records cannot be read because of it, or -1 if that is not known.
     * @param expected what should be there.
     * @param found    what is.
     * @param meaning  the consequence for the journal's owner.
     */
    public record Finding(
        Severity severity, String file, long offset, long position, long sequence, long lost, String expected,
        String found, String meaning)
    {
        /**
         * Whether it concerns the cursors, or one of them.
         *
         * @return true if it is in the directory of the cursors, or that directory itself.
         */
        public boolean isOfCursors()
        {
            return file.equals(JournalFiles.CURSORS) || file.startsWith(CURSORS_PREFIX);
        }

        /**
         * The cursor whose file it is in.
         *
         * @return name of the cursor, or empty if it is not in the file of a cursor.
         */
        public String cursor()
        {
            final String name =
                file.startsWith(CURSORS_PREFIX) ? CursorFile.cursorOf(file.substring(CURSORS_PREFIX.length())) : null;
            return null == name ? "" : name;
        }
    }

    /**
     * The conclusion for the whole journal.
     *
     * @param findings        in the order of their places; empty if all is well.
     * @param isDamaged       whether any of them is more than a tail or a note.
     * @param areRecordsWhole whether every record up to the end could be read and is what was written; damage, if there
     *                        is any, is then beside the records: to cursors, for example.
     * @param isCleanlyClosed whether it ends with a close frame and nothing behind.
     * @param endPosition     up to where all is valid.
     * @param lastSequence    the last record before that, 0 if there is none.
     * @param forcedPosition  the durable watermark: the highest position that is known to have been durable.
     * @param records         that can be read, those behind damage among them.
     * @param tailLength      bytes behind the end that the next opening will quarantine.
     */
    public record Verdict(
        List<Finding> findings, boolean isDamaged, boolean areRecordsWhole, boolean isCleanlyClosed, long endPosition,
        long lastSequence, long forcedPosition, long records, long tailLength)
    {
    }
}
