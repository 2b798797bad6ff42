// SPDX-License-Identifier: Apache-2.0
package io.journal.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

import io.journal.Checkpoint;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalNotFoundException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordHandler;
import io.journal.internal.control.ControlState;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.follow.FollowedSource;
import io.journal.internal.manage.Backup;
import io.journal.internal.manage.Cursors;
import io.journal.internal.platform.Permissions;
import io.journal.internal.read.Reader;
import io.journal.internal.read.VerifiedSegments;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.SystemEpochClock;

/**
 * A journal open for reading only: wires the parts that follow a writer.
 */
public final class Follower implements ReadOnlyJournal
{
    private final Path path;
    private final SegmentStore store;
    private final FollowedSource source;
    // Always, because another process may be changing the bytes while they are loaded.
    private final VerifiedSegments verification = new VerifiedSegments(JournalReader.Verification.ALWAYS);

    private Follower(final Path path, final SegmentStore store, final FollowedSource source)
    {
        this.path = path;
        this.store = store;
        this.source = source;
    }

    public static ReadOnlyJournal open(final Path path, final SegmentStore store)
    {
        try
        {
            Opening.checkDirectory(path);
            final FollowedSource source = FollowedSource.open(store);
            return new Follower(path, store, source);
        }
        catch (final NoSuchFileException ex)
        {
            throw new JournalNotFoundException(
                "no journal: path=" + path + "; it is there once a writer has created it" +
                    adviceIfControlIsLost(store) +
                    "; cause=" + ex,
                ex);
        }
        catch (final IOException | UncheckedIOException | InternalError ex)
        {
            throw new JournalException(
                "cannot open the journal: path=" + path + Permissions.explain(ex) + "; cause=" + ex, ex);
        }
    }

    private static String adviceIfControlIsLost(final SegmentStore store)
    {
        try
        {
            return store.list().stream().noneMatch(JournalFiles::isSegment) ? "" :
                "; if it was there, and " + JournalFiles.CONTROL +
                    " is lost, \"journal repair\" rebuilds that from the " +
                    "segments";
        }
        catch (final IOException ignore)
        {
            return "";
        }
    }

    @Override
    public JournalReader openReader(final JournalReader.Limit limit)
    {
        checkReadable();
        return Reader.open(source, limit, verification, null, null);
    }

    @Override
    public JournalReader openReader(final Checkpoint checkpoint, final JournalReader.Limit limit)
    {
        Objects.requireNonNull(checkpoint, "checkpoint");
        checkReadable();
        return Reader.open(source, limit, verification, () -> checkpoint, null);
    }

    @Override
    public int get(final long first, final int limit, final RecordHandler handler)
    {
        return source.lookups.get(first, limit, handler);
    }

    @Override
    public Path path()
    {
        return path;
    }

    @Override
    public long firstSequence()
    {
        return source.currentState().history.startSequence;
    }

    @Override
    public long lastSequence()
    {
        return source.lastSequence(JournalReader.Limit.WRITTEN);
    }

    @Override
    public long forcedSequence()
    {
        return source.forcedSequence();
    }

    @Override
    public List<JournalCursor.Saved> cursors()
    {
        checkReadable();
        final ControlState state = source.currentState();
        // The end is read after the cursors: a record is durable before a cursor is saved at it.
        final long last = lastSequence();
        return state.cursors().entrySet().stream().map((cursor) -> new JournalCursor.Saved(
            cursor.getKey(), cursor.getValue().sequence(),
            Cursors.lag(cursor.getValue().sequence(), state.history, last))).toList();
    }

    @Override
    public long backup(final Path target)
    {
        checkReadable();
        final Path directory = Backup.check(target, path);
        return new Backup(store, source.uuid(), source.segmentLength(), new FailureLatch("backup"), (corrupt) ->
        {
        }).copyTo(
            directory, Backend.FILE_CHANNEL.store(directory.getParent()), SystemEpochClock.INSTANCE.time());
    }

    @Override
    public void close()
    {
        source.end();
        source.readers.onceDrained(source::close);
    }

    @Override
    public String toString()
    {
        return "ReadOnlyJournal{path=" + path + ", isClosed=" + source.isClosed() + '}';
    }

    private void checkReadable()
    {
        if (source.isClosed())
        {
            throw new IllegalStateException("journal is closed");
        }
    }
}
