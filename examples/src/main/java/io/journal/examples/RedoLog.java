package io.journal.examples;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.RecordClaim;
import io.journal.RecordHeader;
import io.journal.SnapshotException;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A map of texts that survives: kept in memory, rebuilt from its last snapshot and its journal when it is opened.
 * <p>
 * A command becomes an event, the event is appended and forced, and only then the map changes: what
 * {@link #get(String)} has shown once is never lost. There is a single place that changes the map, {@link #apply}, and
 * it is given events by a reader, while running as after a restart. So a restart cannot come to another state.
 * <p>
 * Opening appends nothing, and an event says what is true afterwards, not what to add. So a program that crashes and
 * opens again, as often as it likes, is where it was, and a caller who got no answer because of a crash may send the
 * command once more.
 * <p>
 * An event is a record whose tag says what happened. Integers are little-endian:
 *
 * <pre>
 * PUT     int32 length of the key in bytes, key, value     both UTF-8; the value fills the rest
 * REMOVE  key                                              UTF-8
 * </pre>
 *
 * {@link #snapshot()} writes the whole map beside the journal and prunes the events that are in it, so that opening
 * stays quick. A snapshot is the number of entries as an int32, then keys and values, each a length in bytes as an
 * int32 and UTF-8; big-endian.
 * <p>
 * For one thread at a time. To be run from the project's root; the same directory again to see it go on:
 *
 * <pre>
 * mvn -q -pl examples -am -Pexample compile -Dexample=RedoLog -Dexample.args=/path/of/the/journal
 * </pre>
 */
public final class RedoLog implements AutoCloseable
{
    // Written to disk: a value once used keeps its meaning.
    static final long PUT = 1;
    static final long REMOVE = 2;

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
     * @param args the journal's directory, a temporary one if there is none; and a file of settings for this machine,
     *             such as the benchmarks' {@code recommend} writes.
     * @throws IOException if no temporary directory can be made.
     */
    public static void main(final String[] args) throws IOException
    {
        final Path directory = args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("journal-");
        final JournalBuilder settings = Journal.builder(directory);
        if (args.length > 1)
        {
            settings.settings(Path.of(args[1]));
        }

        try (RedoLog log = open(settings))
        {
            final String before = log.get("starts");
            final int starts = null == before ? 1 : Integer.parseInt(before) + 1;
            log.put("starts", Integer.toString(starts));
            System.out.println("Starts so far, in " + directory + ": " + starts);
        }
    }

    /**
     * Opens with the journal's default settings.
     *
     * @param directory of the journal.
     * @return the map as it was.
     */
    public static RedoLog open(final Path directory)
    {
        return open(Journal.builder(directory));
    }

    /**
     * Opens, and rebuilds the map: from the newest snapshot, and the events behind it.
     *
     * @param settings of the journal.
     * @return the map as it was.
     * @throws SnapshotException     if the journal does not fit its snapshots, as an older backup may not.
     * @throws JournalException      if the journal cannot be opened or read.
     * @throws IllegalStateException if it holds an event that is not of this map.
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
            // Whoever opens closes, also when a later step fails: else the directory would stay locked.
            CloseHelper.quietCloseAll(reader, journal);
            throw ex;
        }
    }

    /**
     * Puts a value. On return it survives a loss of power.
     *
     * @param key   of the entry.
     * @param value of the entry.
     * @throws JournalFullException if there is no space; nothing has changed, and the same call works once there is.
     * @throws JournalException     if storage failed. Whether the value is there is known after closing and opening;
     *                              until then nothing more can be put.
     */
    public void put(final String key, final String value)
    {
        final byte[] keyBytes = key.getBytes(UTF_8);
        final byte[] valueBytes = value.getBytes(UTF_8);
        final long sequence;
        // Closed without a commit, as when the code in between throws, the claim leaves nothing behind.
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

    /**
     * Removes an entry, if it is there. Errors are those of {@link #put(String, String)}.
     *
     * @param key of the entry.
     * @return whether it was there.
     */
    public boolean remove(final String key)
    {
        // The decision is taken before the event is written: an event is something that has happened.
        if (!map.containsKey(key))
        {
            return false;
        }

        final byte[] keyBytes = key.getBytes(UTF_8);
        final long sequence;
        try (RecordClaim claim = journal.appender().claim(keyBytes.length))
        {
            claim.buffer().putBytes(0, keyBytes);
            sequence = claim.tag(REMOVE).commit();
        }

        complete(sequence);
        return true;
    }

    /**
     * Saves a snapshot of the map, and prunes events that the two newest snapshots contain. Opening then replays only
     * what follows. Errors are those of {@link #put(String, String)}; whatever fails, nothing is lost.
     */
    public void snapshot()
    {
        journal.snapshots().save(appliedSequence(), this::writeSnapshot);
        journal.snapshots().prune();
    }

    /**
     * Looks an entry up.
     *
     * @param key of the entry.
     * @return its value, or null if there is none.
     */
    public String get(final String key)
    {
        return map.get(key);
    }

    /**
     * How many entries there are.
     *
     * @return number of entries.
     */
    public int size()
    {
        return map.size();
    }

    /**
     * The last event that is in the map.
     *
     * @return its sequence in the journal, 0 if there is none.
     */
    public long appliedSequence()
    {
        return reader.nextSequence() - 1;
    }

    /**
     * Closes the journal. May be called twice.
     */
    @Override
    public void close()
    {
        CloseHelper.closeAll(reader, journal);
    }

    private void writeSnapshot(final OutputStream output) throws IOException
    {
        final DataOutputStream data = new DataOutputStream(output);
        data.writeInt(map.size());
        for (final Map.Entry<String, String> entry : map.entrySet())
        {
            writeText(data, entry.getKey());
            writeText(data, entry.getValue());
        }
    }

    private void readSnapshot(final InputStream input) throws IOException
    {
        final DataInputStream data = new DataInputStream(input);
        for (int i = data.readInt(); i > 0; i--)
        {
            map.put(readText(data), readText(data));
        }
    }

    private static void writeText(final DataOutputStream data, final String text) throws IOException
    {
        final byte[] bytes = text.getBytes(UTF_8);
        data.writeInt(bytes.length);
        data.write(bytes);
    }

    private static String readText(final DataInputStream data) throws IOException
    {
        return new String(data.readNBytes(data.readInt()), UTF_8);
    }

    private void complete(final long sequence)
    {
        // If this throws, the map stays behind the journal, never ahead of it.
        journal.awaitForced(sequence);
        applyNew();
    }

    private void applyNew()
    {
        while (reader.poll(this::apply, Integer.MAX_VALUE) > 0)
        {
            // Until there is no more.
        }
    }

    private void apply(final DirectBuffer buffer, final int offset, final int length, final RecordHeader header)
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
            // Skipping it would give a state that looks right and is not.
            throw new IllegalStateException(
                "unknown event: sequence=" + header.sequence() + ", tag=" + header.tag() +
                    "; a newer version of this program may have written it");
        }
    }
}
