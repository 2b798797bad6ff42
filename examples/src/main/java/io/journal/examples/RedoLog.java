// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.RecordClaim;
import io.journal.RecordHandler;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A durable map of strings. It is kept in memory, and rebuilt from its newest snapshot and its journal when it is
 * opened.
 * <p>
 * Each command becomes an event. The event is appended and forced (an fsync), and only then applied to the map: a value
 * that {@link #get(String)} has returned is never lost. A reader passes events to {@link #apply}, the only method that
 * applies them, both during normal operation and after a restart. So a restart always leads to the same state.
 * <p>
 * Opening appends nothing, and events are idempotent: an event contains the new value, not a difference. So a program
 * may crash and reopen any number of times, and a caller that got no answer because of a crash may retry its command.
 * <p>
 * An event is a record whose tag is the kind of event. Integers are little-endian:
 *
 * <pre>
 * PUT     int32 length of the key in bytes, key, value     both UTF-8; the value fills the rest
 * REMOVE  key                                              UTF-8
 * </pre>
 *
 * {@link #snapshot()} saves the whole map beside the journal and prunes events that snapshots have made redundant, so
 * that opening stays fast. A snapshot begins with the number of entries. Then follow keys and values, each as its
 * length in bytes and its UTF-8 bytes. The numbers are big-endian int32.
 * <p>
 * Not thread-safe. Run it from the project's root, twice: the second run continues the count.
 *
 * <pre>
 * mvn -q -pl examples -am -Pexample compile -Dexample=RedoLog
 * </pre>
 */
public final class RedoLog implements AutoCloseable
{
    // Part of the stored format: the meaning of a value never changes.
    static final long PUT = 1;
    static final long REMOVE = 2;

    // Only whole segments are pruned, so short segments show pruning soon.
    private static final int SEGMENT_LENGTH = 1 << 20;

    private static final int KEY_LENGTH_OFFSET = 0;
    private static final int KEY_OFFSET = KEY_LENGTH_OFFSET + Integer.BYTES;

    private final Map<String, String> map = new HashMap<>();
    private final Journal journal;
    private final JournalReader reader;

    private RedoLog(final Journal journal, final JournalReader reader)
    {
        this.journal = journal;
        this.reader = reader;
    }

    /**
     * Entry point: counts how often it was started.
     *
     * @param args the journal's directory, {@code target/redo-log} by default.
     */
    public static void main(final String[] args) throws IOException
    {
        final Path directory = Path.of(args.length > 0 ? args[0] : "target/redo-log");
        // A journal creates its own directory only.
        Files.createDirectories(directory.toAbsolutePath().resolve("..").normalize());
        try (RedoLog log = open(Journal.builder(directory).segmentLength(SEGMENT_LENGTH)))
        {
            final String before = log.get("starts");
            final int starts = null == before ? 1 : Integer.parseInt(before) + 1;
            log.put("starts", Integer.toString(starts));
            System.out.println("Starts so far, in " + directory + ": " + starts);
        }
    }

    /**
     * Opens the map: loads the newest snapshot and replays the events after it.
     *
     * @param settings of the journal.
     * @return the recovered map.
     * @throws CorruptJournalException if the journal is damaged, or does not match its snapshots, such as after
     *                                 restoring an older backup.
     * @throws IllegalStateException   if the journal contains an event of an unknown kind.
     */
    public static RedoLog open(final JournalBuilder settings)
    {
        final Journal journal = settings.open();
        JournalReader reader = null;
        try
        {
            reader = journal.openReader();
            final RedoLog log = new RedoLog(journal, reader);
            reader.seek(journal.snapshots().load(log::readSnapshot) + 1);
            log.applyNew();
            return log;
        }
        catch (final Throwable ex)
        {
            // Close what was opened if a later step fails; otherwise the directory stays locked.
            CloseHelper.quietCloseAll(reader, journal);
            throw ex;
        }
    }

    /**
     * Puts a value. On return it is durable.
     *
     * @throws IllegalArgumentException if key or value contains half of a surrogate pair, which UTF-8 cannot represent,
     *                                  or if they are too long for a record. Nothing has changed.
     * @throws JournalFullException if the disk is full. Nothing has changed; the call can be retried once there is
     *                              space.
     * @throws JournalException     if storage failed. Close and reopen to find out whether the value was stored; until
     *                              then nothing more can be put.
     */
    public void put(final String key, final String value)
    {
        final byte[] keyBytes = utf8(key);
        final byte[] valueBytes = utf8(value);
        final long sequence;
        // If the code in this block throws, closing the uncommitted claim aborts it: nothing is appended.
        try (RecordClaim claim = journal.appender().claim(KEY_OFFSET + keyBytes.length + valueBytes.length))
        {
            final MutableDirectBuffer buffer = claim.buffer();
            buffer.putInt(KEY_LENGTH_OFFSET, keyBytes.length, ByteOrder.LITTLE_ENDIAN);
            buffer.putBytes(KEY_OFFSET, keyBytes);
            buffer.putBytes(KEY_OFFSET + keyBytes.length, valueBytes);
            sequence = claim.tag(PUT).commit();
        }

        complete(sequence);
    }

    /** Removes an entry; {@return whether it was present} Throws the exceptions of {@link #put(String, String)}. */
    public boolean remove(final String key)
    {
        // Decide first, then append: an event is something that has happened.
        if (!map.containsKey(key))
        {
            return false;
        }

        complete(journal.appender().append(REMOVE, utf8(key)));
        return true;
    }

    /**
     * Saves a snapshot of the map and prunes the events that the two newest snapshots contain. Opening then replays
     * only later events. Throws the exceptions of {@link #put(String, String)}; no failure loses data.
     */
    public void snapshot()
    {
        journal.snapshots().save(appliedSequence(), this::writeSnapshot);
        journal.snapshots().prune();
    }

    /** {@return the value of a key, or null if there is none} */
    public String get(final String key)
    {
        return map.get(key);
    }

    /** {@return the number of entries} */
    public int size()
    {
        return map.size();
    }

    /** {@return the sequence of the last event applied to the map, 0 if there is none} */
    public long appliedSequence()
    {
        return reader.nextSequence() - 1;
    }

    /** Closes the journal. Idempotent. */
    @Override
    public void close()
    {
        CloseHelper.closeAll(reader, journal);
    }

    /**
     * Throws if the text contains half of a surrogate pair. {@code getBytes} would replace it by a question mark, and
     * the result may be an existing key.
     */
    private static byte[] utf8(final String text)
    {
        try
        {
            final ByteBuffer bytes = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            return Arrays.copyOf(bytes.array(), bytes.limit());
        }
        catch (final CharacterCodingException ex)
        {
            throw new IllegalArgumentException("half of a surrogate pair in a text", ex);
        }
    }

    private void writeSnapshot(final OutputStream output) throws IOException
    {
        final DataOutputStream data = new DataOutputStream(output);
        data.writeInt(map.size());
        for (final Map.Entry<String, String> entry : map.entrySet())
        {
            for (final String text : List.of(entry.getKey(), entry.getValue()))
            {
                final byte[] bytes = text.getBytes(UTF_8);
                data.writeInt(bytes.length);
                data.write(bytes);
            }
        }
    }

    private void readSnapshot(final InputStream input) throws IOException
    {
        final DataInputStream data = new DataInputStream(input);
        for (int i = data.readInt(); i > 0; i--)
        {
            final String key = new String(data.readNBytes(data.readInt()), UTF_8);
            map.put(key, new String(data.readNBytes(data.readInt()), UTF_8));
        }
    }

    private void complete(final long sequence)
    {
        // If this throws, the map is behind the journal, never ahead of it.
        journal.awaitForced(sequence);
        applyNew();
    }

    private void applyNew()
    {
        while (reader.poll(this::apply, Integer.MAX_VALUE) > 0)
        {
            // Repeat until there are no more events.
        }
    }

    private void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        if (PUT == header.tag())
        {
            final int keyLength = buffer.getInt(offset + KEY_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
            final int valueOffset = KEY_OFFSET + keyLength;
            map.put(
                buffer.getStringWithoutLengthUtf8(offset + KEY_OFFSET, keyLength),
                buffer.getStringWithoutLengthUtf8(offset + valueOffset, length - valueOffset));
        }
        else if (REMOVE == header.tag())
        {
            map.remove(buffer.getStringWithoutLengthUtf8(offset, length));
        }
        else
        {
            // Skipping the event would silently lead to a wrong state.
            throw new IllegalStateException(
                "unknown event: sequence=" + header.sequence() + ", tag=" + header.tag() +
                    "; a newer version of this program may have written it");
        }
    }
}
