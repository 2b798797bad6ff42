package io.journal.verify;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongConsumer;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.FrameSearch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.files.SegmentSet;
import io.journal.internal.files.Window;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.platform.FileType;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;

/**
 * Reads every frame of a journal, its cursors and the other files it needs, and reports damage. Changes nothing, takes
 * no lock and maps no segment: for files that are damaged, hostile or changing, the worst outcome is a finding.
 * <p>
 * Call {@link #open}, then {@link #check} for each of {@link #ordinals()} on any number of threads, then pass the
 * results to {@link #conclude}. Opening a journal checks only its newest part; this class checks all of it.
 * <p>
 * A journal can be verified while it is appended to: what changes during the read may appear as damage once, but not
 * when it is checked again. Immutable and thread-safe.
 */
public final class JournalVerifier
{
    static final long UNKNOWN = FrameCursor.ANY_SEQUENCE;

    private static final int WINDOW_LENGTH = 1024 * 1024;
    // More of them in one segment would add no information.
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
     * Reads the identity of a journal and the list of its segments.
     *
     * @param path of the journal's directory.
     * @return a verifier of the present files.
     * @throws CorruptJournalException    if {@code journal.meta} is damaged, or missing while there are segments.
     * @throws JournalException           if the journal is of a newer format.
     * @throws JournalException           if there is no journal, or it cannot be read.
     */
    public static JournalVerifier open(final Path path)
    {
        return open(path, Backend.FILE_CHANNEL.store(path));
    }

    public static JournalVerifier open(final Path path, final SegmentStore store)
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
            final List<String> foreign = new ArrayList<>();
            final List<Long> ordinals = SegmentSet.ordinals(names, foreign::add);
            final Layout layout = new Layout(meta.segmentLength);
            final JournalMeta.Cut pending = meta.state.pending;
            ordinals.removeIf((ordinal) -> ordinal < layout.ordinal(meta.state.startPosition) ||
                (null != pending && ordinal > layout.ordinal(pending.position)));

            final MarkFile.Content mark = MarkFile.read(store, meta.uuid);
            // Before any segment is read: a record is durable before a cursor is saved at it, so the segments have it.
            CursorFiles cursors = null;
            IOException cursorsFailure = null;
            try
            {
                cursors = CursorFiles.read(store, meta.uuid);
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
        return names.stream().anyMatch(JournalFiles::isSegment) ?
            new CorruptJournalException(
                "segments without a journal: path=" + path + ", expected=" + JournalFiles.META +
                    ", found=none; restore it from a backup, or let a repair rebuild it") :
            new JournalException("no journal here: no " + JournalFiles.META + " in the directory: path=" + path);
    }

    /**
     * The journal's directory.
     *
     * @return the directory.
     */
    public Path path()
    {
        return path;
    }

    /**
     * UUID of the journal.
     *
     * @return the UUID that all its files carry.
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
     * Generation of the state in {@code journal.meta}: it changes with each prune and truncation.
     *
     * @return the generation.
     */
    public long generation()
    {
        return meta.state.generation;
    }

    /**
     * How often the journal was truncated.
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
     * Position of a truncation intent, which the next opening will complete.
     *
     * @return position in bytes, or -1 if none is pending.
     */
    public long pendingCut()
    {
        return null == meta.state.pending ? -1 : meta.state.pending.position;
    }

    /**
     * The durable watermark in the mark file.
     *
     * @return position in bytes, or 0 if the file is absent or holds none.
     */
    public long markedPosition()
    {
        return mark.forcedPosition(meta.state);
    }

    /**
     * Whether a force was in progress, or had failed, when the last writer ended, or is in progress now; or this is
     * unknown.
     *
     * @return true if the mark file records it, or holds nothing.
     */
    public boolean isForceUnfinished()
    {
        return mark.isForceUnfinished;
    }

    /**
     * The segments to check.
     *
     * @return their ordinals, ascending, without those that a pending truncation or prune will remove.
     */
    public List<Long> ordinals()
    {
        return ordinals;
    }

    /**
     * Names in the directory that have the form of a segment but cannot be one: opening refuses them.
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
     * Reads every frame of a segment. Skips damage up to the next watermark frame, and continues there.
     *
     * @param ordinal  of the segment.
     * @param progress called with the number of further bytes read.
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
     * The end of the bytes after the journal's end, within a segment.
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
                FrameSearch.framesEnd(cursor, from, limit, nextSequence) : FrameSearch.contentEnd(cursor, from, limit);
        }
        catch (final JournalException | IOException ex)
        {
            // It was readable before: a writer is changing it.
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
            FrameSearch.watermark(cursor, offset + FrameHeader.ALIGNMENT, limit) : -1;
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
     * Combines the results of all segments, and measures what is after the end.
     *
     * @param checks of all segments, ascending.
     * @return the verdict.
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
     * What is wrong with the truncation intent that the next opening is to complete.
     *
     * @return the fault, or null.
     */
    String cutFault()
    {
        return meta.pendingFault(ordinals, mark.forcedPosition(meta.state));
    }

    /**
     * Why the directory of the cursors cannot be listed, or null.
     */
    IOException cursorsFailure()
    {
        return cursorsFailure;
    }

    /**
     * Cursors that cannot be used, by name, with the reason.
     */
    Map<String, JournalException> unusableCursors()
    {
        return null == cursors ? Map.of() : cursors.unusable(meta.state);
    }

    /**
     * Cursors that were saved at a record after the last one, by name, with the reason.
     */
    Map<String, JournalException> cursorsAhead(final long lastSequence)
    {
        return null == cursors ? Map.of() : cursors.aheadOfEnd(meta.state, lastSequence);
    }

    /**
     * Whether {@code journal.mark} holds a durable watermark of this journal that is not of an earlier truncation
     * epoch.
     */
    boolean isMarkUsable()
    {
        return mark.isOf(meta.state);
    }

    /**
     * Whether there is an entry of a name that is neither a directory nor a link to one.
     */
    boolean isNoDirectory(final String name)
    {
        final Path entry = path.resolve(name);
        try
        {
            // A link to a directory counts as one; a dangling link does not.
            return FileType.DIRECTORY != FileType.of(entry) &&
                FileType.ABSENT != FileType.of(entry, LinkOption.NOFOLLOW_LINKS);
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /**
     * Whether there is an entry of a name that is not a regular file.
     */
    boolean isNoFile(final String name)
    {
        final FileType type = typeOf(name);
        return FileType.DIRECTORY == type || FileType.OTHER == type;
    }

    /**
     * Type of the entry of a name. A regular file if the type is unknown: reading it then reports why.
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

    /** A place where reading frame after frame ends, or continues with another record. */
    static final class Break
    {
        enum Kind
        {
            /** No valid frame. */
            FRAME,
            /** A valid frame of another sequence. */
            SEQUENCE,
            /** Bytes that cannot be read, because of a failing device or missing permissions. */
            READ,
            /** A frame that must not be skipped, of a kind unknown to this version. */
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
     * What one segment contains.
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
         * The first record in it, or the next one if it has none.
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
         * Whether that last frame is a close frame.
         *
         * @return true if the journal was closed there.
         */
        public boolean isClosed()
        {
            return isClosed;
        }

        /**
         * When the segment's first watermark frame was written.
         *
         * @return milliseconds since 1970, by the writer's clock; 0 if there is none.
         */
        public long firstTimeMs()
        {
            return firstTimeMs;
        }

        /**
         * When the segment's last watermark frame was written.
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
        /** Durable data, or something needed to read it, is not what was written. */
        DAMAGE,
        /** Something other than the records is damaged, such as a cursor. The records are intact. */
        UNUSABLE,
        /** Something written by a newer version of the library. */
        NEWER_FORMAT,
        /** Something that could not be read, because of missing permissions or a failing device: it may be intact. */
        UNREADABLE,
        /** Bytes after the end that are not known to be durable, left by a crash or an active writer. */
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
     * @param found    what is there.
     * @param meaning  the consequence for the journal's owner.
     */
    public record Finding(
        Severity severity, String file, long offset, long position, long sequence, long lost, String expected,
        String found, String meaning)
    {
        /**
         * Whether it concerns the cursors.
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
     * @param areRecordsWhole whether every record up to the end could be read and is what was written; any damage is
     *                        then outside the records, for example in cursors.
     * @param isCleanlyClosed whether it ends with a close frame and nothing after it.
     * @param endPosition     end of the part in which everything is valid.
     * @param lastSequence    the last record before that, 0 if there is none.
     * @param forcedPosition  the durable watermark: the highest position that is known to have been durable.
     * @param records         that can be read, including those after damage.
     * @param tailLength      bytes after the end that the next opening will quarantine.
     */
    public record Verdict(
        List<Finding> findings, boolean isDamaged, boolean areRecordsWhole, boolean isCleanlyClosed, long endPosition,
        long lastSequence, long forcedPosition, long records, long tailLength)
    {
    }
}
