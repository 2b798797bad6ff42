// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.format;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.journal.tests.support.UsableBackends;
import io.journal.verify.Finding;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecoveryReport;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.Backend;
import io.journal.tests.format.FormatOracle.SegmentWriter;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.JournalFixture;
import io.journal.verify.JournalInfo;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;
import io.journal.tests.support.InMemory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The reader in {@code src/test/python}, written from {@code docs/format.md} alone, and this library agree on every
 * journal, intact or damaged: same records, same end, same reason to reject. A failure prints the seed, which
 * {@code -Djournal.reader.seed} repeats.
 */
@Tag("slow")
@InMemory
class SecondReaderTest extends JournalFixture
{
    private static final String SEED = "journal.reader.seed";
    private static final Pattern RECORD =
        Pattern.compile("\\{\"sequence\": (\\d+), \"tag\": (-?\\d+), \"base64\": \"([^\"]*)\"}");
    private static final Pattern ERROR =
        Pattern.compile("\\{\"error\": \\{\"while\": \"(\\w+)\", \"kind\": \"(\\w+)\".*");
    private static final Pattern END = Pattern.compile(
        ".*\"position\": (\\d+), \"nextSequence\": (\\d+), \"cleanlyClosed\": (\\w+), \"tail\": (\\d+), " +
            "\"forced\": (\\w+), \"forceUnfinished\": (\\w+), \"cursors\": \\{(.*)}}}");

    @BeforeAll
    static void skipWithoutPython()
    {
        boolean isThere = false;
        try
        {
            final Process process =
                new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 7))")
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            isThere = process.waitFor(10, TimeUnit.MINUTES) && 0 == process.exitValue();
        }
        catch (final IOException ignore)
        {
            // There is no such command.
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
        assumeTrue(isThere, "no python3 of 3.7 or later here");
    }

    /** The result of a reader: the records, how the journal ended, and the watermark and cursors. */
    record Outcome(List<Entry> entries, String end, String beside)
    {
        Outcome(final List<Entry> entries, final String end)
        {
            this(entries, end, "");
        }
    }

    private static Path golden(final String name) throws URISyntaxException
    {
        return Path.of(SecondReaderTest.class.getResource("/golden/v2/" + name).toURI());
    }

    @Test
    void goldenFilesAreReadAsExpected() throws Exception
    {
        final List<Entry> written = GoldenFiles.write(temp.resolve("again"), Backend.MAPPED, 0);
        final List<Entry> torn = GoldenFiles.tear(temp.resolve("torn"), temp.resolve("live"));
        final Path critical = temp.resolve("critical");
        copy(golden("batch"), critical);
        copy(golden("critical"), critical);

        final List<Outcome> outcomes = byPython(
            List.of(golden("written"), golden("batch"), critical, golden("torn")), SEGMENT_LENGTH);

        assertEquals(written, outcomes.get(0).entries());
        assertEquals("end place=90728 next=30 clean=true tail=0", outcomes.get(0).end());
        assertEquals(GoldenFiles.batchEntries(), outcomes.get(1).entries());
        assertEquals("end place=5024 next=8 clean=false tail=0", outcomes.get(1).end());
        assertEquals(new Outcome(List.of(), "opening newer"), outcomes.get(2));
        assertEquals(torn, outcomes.get(3).entries());
    }

    @Test
    void directoriesWithoutAJournalAreReported() throws Exception
    {
        final Path empty = Files.createDirectory(temp.resolve("empty"));
        final Path alone = Files.createDirectory(temp.resolve("alone"));
        Files.copy(segment(golden("written"), 1), segment(alone, 1));

        final List<Outcome> outcomes = byPython(List.of(empty, temp.resolve("none"), alone), SEGMENT_LENGTH);

        assertEquals("opening absent", outcomes.get(0).end());
        assertEquals("opening absent", outcomes.get(1).end());
        assertEquals("opening corrupt", outcomes.get(2).end());
    }

    static LongStream someSeeds()
    {
        final Long only = Long.getLong(SEED);
        return null == only ? LongStream.rangeClosed(1, 12) : LongStream.of(only);
    }

    static LongStream manySeeds()
    {
        final long first = System.currentTimeMillis();
        final Long only = Long.getLong(SEED);
        return null == only ? LongStream.range(first, first + 200) : LongStream.of(only);
    }

    @ParameterizedTest
    @MethodSource("someSeeds")
    void bothReadersAgree(final long seed) throws Exception
    {
        compare(seed, 12);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("manySeeds")
    void bothReadersAgreeForLong(final long seed) throws Exception
    {
        compare(seed, 60);
    }

    private void compare(final long seed, final int count) throws Exception
    {
        final Random random = new Random(seed);
        final Backend backend = UsableBackends.one(seed, temp);
        final boolean isComposed = 0 == random.nextInt(4);
        final int segmentLength = isComposed ? SEGMENT_LENGTH : SEGMENT_LENGTH << Math.max(0, random.nextInt(6) - 3);
        final List<Map<String, byte[]>> images =
            isComposed ? List.of(composed(random)) : images(random, backend, segmentLength);

        final List<Path> paths = new ArrayList<>();
        final List<String> damages = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            final JournalDirectory directory = new JournalDirectory(temp.resolve("image-" + i));
            final int image = random.nextInt(images.size());
            directory.restore(images.get(image));
            final String before = 0 == random.nextInt(4) ? cut(random, directory, segmentLength) + "; " : "";
            final String damage = before + (0 == i % 6 ? "none" :
                damage(random, directory, images.get(random.nextInt(images.size())), segmentLength));
            paths.add(directory.path);
            damages.add("image " + image + ", " + damage);
        }

        final List<Outcome> outcomes = byPython(paths, segmentLength);
        for (int i = 0; i < count; i++)
        {
            final String verified = byVerifier(paths.get(i), segmentLength);
            final Outcome expected = byThisLibrary(paths.get(i), backend, segmentLength);
            final String context = "again with -D" + SEED + "=" + seed + ": " + paths.get(i).getFileName() + ": " +
                damages.get(i) + ", " + backend + ", segmentLength=" + segmentLength;
            assertEquals(expected.end(), outcomes.get(i).end(), context);
            assertEquals(expected.entries(), outcomes.get(i).entries(), context);
            assertEquals(expected.beside(), outcomes.get(i).beside(), context);
            final String end = expected.end().replaceFirst("^(opening|reading) ", "");
            assertEquals(end, verified, context);
        }
    }

    /** The files of a journal at several moments of its sessions, as a crash leaves them; the last after a close. */
    private List<Map<String, byte[]>> images(final Random random, final Backend backend, final int segmentLength)
        throws Exception
    {
        final JournalDirectory live = new JournalDirectory(temp.resolve("live"));
        final List<Map<String, byte[]>> images = new ArrayList<>();
        final TestClock clock = new TestClock();
        final int lives = 1 + random.nextInt(3);
        for (int life = 0; life < lives; life++)
        {
            try (Journal journal = repeatable(live.path, backend, random.nextLong())
                .segmentLength(segmentLength).recycleSegments(random.nextBoolean()).clock(clock).open())
            {
                final int steps = 5 + random.nextInt(60);
                for (int i = 0; i < steps; i++)
                {
                    step(random, journal, clock, segmentLength);
                    if (0 == random.nextInt(20))
                    {
                        images.add(live.content());
                    }
                }
                images.add(live.content());
            }
        }
        images.add(live.content());

        return images;
    }

    private static void step(
        final Random random, final Journal journal, final TestClock clock, final int segmentLength) throws Exception
    {
        final int left = (int)(segmentLength - journal.counters().appendedPosition() % segmentLength);
        switch (random.nextInt(17))
        {
            case 0 -> journal.force();
            case 1 -> clock.advance(random.nextInt(2000));
            case 2 -> journal.backgroundAgent().doWork();
            // Up to the segment's end, and a little less.
            case 3 -> append(random, journal, left - 24 - 8 * random.nextInt(10));
            case 4 -> append(random, journal, random.nextInt(20_000));
            case 5 -> append(random, journal.appender());
            case 6 -> journal.cursor("consumer-" + random.nextInt(2)).save(
                Math.max(journal.firstSequence() - 1, journal.lastSequence() - random.nextInt(3)));
            case 7 -> journal.roll();
            case 8 -> journal.prune(
                journal.firstSequence() + (journal.lastSequence() + 1 - journal.firstSequence()) / 2);
            case 9 -> truncate(journal, random.nextInt(10));
            default -> append(random, journal, random.nextInt(300));
        }
    }

    /** Truncates some records, and those of the same batch. */
    private static void truncate(final Journal journal, final int count)
    {
        long last = Math.max(journal.firstSequence() - 1, journal.lastSequence() - count);
        boolean isCut = false;
        while (!isCut)
        {
            try
            {
                journal.truncateAfter(last);
                isCut = true;
            }
            catch (final IllegalArgumentException ex)
            {
                // In the middle of a batch.
                last--;
            }
        }
    }

    private static void append(final Random random, final Journal journal, final int length)
    {
        final byte[] bytes =
            record(random.nextLong(), Math.max(0, Math.min(length, journal.appender().maxRecordLength())));
        journal.appender().append(random.nextLong(), ByteBuffer.wrap(bytes), 0, bytes.length);
    }

    private static void append(final Random random, final JournalAppender appender)
    {
        final RecordBatch batch = new RecordBatch();
        final int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++)
        {
            batch.add(random.nextLong(), record(i, random.nextInt(500)));
        }
        appender.append(batch);
    }

    /** Frames that this library reads, but seldom or never writes. */
    private static Map<String, byte[]> composed(final Random random)
    {
        final SegmentWriter segment = GoldenFiles.composedSegment();
        segment.mark(segment.position(), 1);
        final int steps = random.nextInt(40);
        for (int i = 0; i < steps; i++)
        {
            switch (random.nextInt(7))
            {
                case 0 -> segment.mark(segment.position() - 8 * random.nextInt(100), i);
                case 1 -> segment.control(random.nextInt(1000) + 10, record(i, random.nextInt(60)));
                case 2 -> segment.mark(segment.position(), i).mark(segment.position(), i);
                case 3 -> segment.record(random.nextLong(), record(i, random.nextInt(500)));
                case 4 -> more(random, segment, i);
                default -> segment.batch(Stream.generate(
                    () -> new Entry(0, random.nextLong(), record(random.nextLong(), random.nextInt(50))))
                    .limit(1 + random.nextInt(5)).toArray(Entry[]::new));
            }
        }
        final TreeMap<String, byte[]> content = new TreeMap<>();
        content.put(JournalDirectory.CONTROL, random.nextBoolean() ? GoldenFiles.composedControl() :
            FormatOracle.forced(
                GoldenFiles.COMPOSED_UUID, SEGMENT_LENGTH, segment.position(), segment.sequence()));
        content.put(JournalDirectory.segmentName(0), segment.bytes());
        return content;
    }

    /** Sometimes a record of a batch that is not followed by the rest of the batch. */
    private static void more(final Random random, final SegmentWriter segment, final int number)
    {
        if (0 == random.nextInt(8))
        {
            segment.more(random.nextLong(), record(number, random.nextInt(50)));
        }
    }

    private static String damage(
        final Random random, final JournalDirectory directory, final Map<String, byte[]> other,
        final int segmentLength)
    {
        final String newest = JournalDirectory.segmentName(directory.newestUsed());
        final int used = usedLength(directory.read(newest));
        switch (random.nextInt(16))
        {
            case 14:
            case 15:
            {
                // Restore one part of an older control file, and nothing else.
                final byte[] bytes = directory.read(JournalDirectory.CONTROL);
                final byte[] before = other.getOrDefault(JournalDirectory.CONTROL, bytes);
                final int part = random.nextInt(3);
                final int from = part < 2 ? JournalDirectory.STATE_SLOTS[part] : JournalDirectory.WATERMARKS[0];
                final int to = part < 2 ? from + JournalDirectory.STATE_SLOT_LENGTH : bytes.length;
                System.arraycopy(before, from, bytes, from, to - from);
                directory.put(JournalDirectory.CONTROL, bytes);
                return "older part " + part + " of the control file";
            }

            case 0:
                return flip(random, directory, newest, used);

            case 1:
                return flip(random, directory, JournalDirectory.segmentName(any(
                    random, directory, directory.newest())), used);

            case 2:
                return flipState(random, directory, random.nextInt(2));

            case 3:
                return random.nextBoolean() ? flip(random, directory, JournalDirectory.CONTROL, 4096) :
                    flip(random, directory, JournalDirectory.CONTROL, JournalDirectory.WATERMARKS[0], 1048);

            case 4:
            {
                final int from = Math.max(4096, used - random.nextInt(2000));
                directory.zero(newest, from, segmentLength);
                return "zero " + newest + " from " + from;
            }

            case 5:
            {
                final int from = Math.max(0, (used - random.nextInt(4096)) / 512 * 512);
                directory.zero(newest, from, Math.min(segmentLength, from + 512));
                return "zero a sector of " + newest + " at " + from;
            }

            case 6:
            {
                final byte[] bytes = directory.read(newest);
                final byte[] before = other.getOrDefault(newest, bytes);
                for (int i = 4096; i < segmentLength; i += 512)
                {
                    if (random.nextBoolean())
                    {
                        System.arraycopy(before, i, bytes, i, 512);
                    }
                }
                directory.put(newest, bytes);
                return "mix " + newest;
            }

            case 7:
            {
                final String name = List.copyOf(directory.content().keySet())
                    .get(random.nextInt(directory.content().size()));
                directory.delete(name);
                return "delete " + name;
            }

            case 8:
                return cut(random, directory, segmentLength);

            case 9:
            {
                final long position = directory.newestUsed() * segmentLength + used - 200 + random.nextInt(400);
                final long term = directory.state().term();
                directory.writeForced(random.nextBoolean() ? term : term + 8, Math.max(0, position), 1);
                return "durable to " + position;
            }

            case 10:
            {
                directory.zero(newest, Math.max(4096, used - random.nextInt(500)), segmentLength);
                directory.loseForced();
                return "cut without a watermark";
            }

            case 11:
            {
                directory.raiseForceFlag();
                return "raise flag; " + flip(random, directory, newest, used);
            }

            case 12:
            {
                final byte[] bytes = directory.read(newest);
                directory.put(newest, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
                return "shorten " + newest;
            }

            default:
            {
                final byte[] garbage = new byte[random.nextInt(200)];
                random.nextBytes(garbage);
                final int at = Math.min(used - random.nextInt(300) + 250, segmentLength - garbage.length);
                directory.overwrite(newest, at, garbage);
                return "garbage in " + newest + " at " + at;
            }
        }
    }

    private static long any(final Random random, final JournalDirectory directory, final long newest)
    {
        final List<Long> ordinals = directory.ordinals().stream().filter((ordinal) -> ordinal <= newest).toList();
        return ordinals.get(random.nextInt(ordinals.size()));
    }

    private static String flip(
        final Random random, final JournalDirectory directory, final String name, final int length)
    {
        return flip(random, directory, name, 0, length);
    }

    private static String flipState(final Random random, final JournalDirectory directory, final int slot)
    {
        final int start = JournalDirectory.STATE_SLOTS[slot];
        final int length = JournalDirectory.littleEndian(directory.read(JournalDirectory.CONTROL)).getInt(start + 8);
        return flip(random, directory, JournalDirectory.CONTROL, start, Math.max(8, length));
    }

    private static String flip(
        final Random random, final JournalDirectory directory, final String name, final int from, final int length)
    {
        final int offset = from + random.nextInt(length);
        final int bit = random.nextInt(8);
        directory.flip(name, offset, bit);
        return "flip bit " + bit + " of " + name + " at " + offset;
    }

    /** A truncation at a frame, possible or not, after which its writer died. */
    private static String cut(final Random random, final JournalDirectory directory, final int segmentLength)
    {
        final long ordinal = directory.newestUsed();
        final List<Frame> frames = directory.frames(ordinal);
        if (frames.size() < 2)
        {
            return "none";
        }

        final Frame frame = frames.get(1 + random.nextInt(frames.size() - 1));
        final State state = directory.state();
        final long position = ordinal * segmentLength + frame.offset();
        final long term = random.nextLong() >>> 2 | 1;
        final List<Cut> cuts = new ArrayList<>(state.cuts());
        // Cuts without a record between them are merged.
        long from = position;
        while (!cuts.isEmpty() && cuts.get(cuts.size() - 1).sequence() >= frame.sequence())
        {
            final Cut last = cuts.remove(cuts.size() - 1);
            from = last.isEmpty() ? from : Math.min(from, last.from());
        }
        cuts.removeIf(Cut::isEmpty);
        final long to = ordinal * segmentLength + frames.get(frames.size() - 1).end();
        cuts.add(new Cut(
            state.number() + 1, term, from, Math.max(to, state.newest().to()), frame.sequence(),
            random.nextInt(3) > 0 ? 0 : state.term()));
        directory.writeStates(state.withTerm(term, cuts).withGeneration(state.generation() + 1));
        return "truncate at " + position;
    }

    private static int usedLength(final byte[] bytes)
    {
        int length = bytes.length;
        while (0 == bytes[length - 1])
        {
            length--;
        }

        return length;
    }

    private static Outcome byThisLibrary(final Path path, final Backend backend, final int segmentLength)
    {
        final List<Entry> entries = new ArrayList<>();
        String doing = "opening";
        String marked = "";
        try
        {
            // Opening is going to change it.
            final JournalInfo info = JournalVerifier.open(path).info();
            marked = "forced=" + info.forcedPosition() + " unfinished=" + info.isForceUnfinished();
        }
        catch (final CorruptJournalException | UnsupportedFormatException ignore)
        {
            // Opening reports the same.
        }
        try (Journal journal = Journal.builder(path).backend(backend).writeWindow(0).backgroundThread(false).open())
        {
            doing = "reading";
            try (JournalReader reader = journal.openReader())
            {
                while (0 != reader.poll(into(entries), Integer.MAX_VALUE))
                {
                    Thread.onSpinWait();
                }
            }
            final RecoveryReport report = journal.recoveryReport();
            return new Outcome(entries, end(
                report.endPosition(), report.lastSequence() + 1, report.isCleanlyClosed(), report.tornLength(),
                segmentLength), marked + " cursors=" + cursors(journal));
        }
        catch (final UnsupportedFormatException ex)
        {
            return new Outcome(entries, doing + " newer");
        }
        catch (final CorruptJournalException ex)
        {
            return new Outcome(entries, doing + " corrupt");
        }
    }

    private static String cursors(final Journal journal)
    {
        final List<String> cursors = new ArrayList<>();
        for (final String name : journal.cursorNames())
        {
            cursors.add("\"" + name + "\": " + journal.cursor(name).sequence());
        }

        return String.join(", ", cursors);
    }

    /** The result of verifying the whole journal, in the same words. */
    private static String byVerifier(final Path path, final int segmentLength)
    {
        try
        {
            final Verdict verdict = JournalVerifier.verify(path);
            final Set<Finding.Severity> found =
                verdict.findings().stream().map(Finding::severity).collect(Collectors.toSet());
            if (found.contains(Finding.Severity.DAMAGE) || found.contains(Finding.Severity.UNREADABLE))
            {
                return "corrupt";
            }
            return found.contains(Finding.Severity.NEWER_FORMAT) ? "newer" : end(
                verdict.endPosition(), verdict.lastSequence() + 1, verdict.isCleanlyClosed(), verdict.tailLength(),
                segmentLength);
        }
        catch (final UnsupportedFormatException ex)
        {
            return "newer";
        }
        catch (final CorruptJournalException ex)
        {
            return "corrupt";
        }
    }

    private static String end(
        final long position, final long nextSequence, final boolean isClean, final long tail, final int segmentLength)
    {
        // Equivalent positions are reported as the last of them.
        final long offset = position % segmentLength;
        final long ordinal = position / segmentLength + (segmentLength - offset < 24 ? 1 : 0);
        final long place = ordinal * segmentLength + (segmentLength - offset < 24 ? 4096 : Math.max(4096, offset));
        return "end place=" + place + " next=" + nextSequence + " clean=" + isClean + " tail=" + tail;
    }

    private static Path script()
    {
        final Path script = Path.of("src/test/python/journal_reader.py");
        assertTrue(Files.isRegularFile(script), () -> "not there: " + script.toAbsolutePath());
        return script;
    }

    private List<Outcome> byPython(final List<Path> paths, final int segmentLength) throws Exception
    {
        final List<String> command = new ArrayList<>(List.of("python3", script().toString(), "--base64"));
        paths.forEach((path) -> command.add(path.toString()));
        final Path errors = temp.resolve("errors");
        final Path output = temp.resolve("output");
        final Process process = new ProcessBuilder(command)
            .redirectError(errors.toFile()).redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(10, TimeUnit.MINUTES), "python3 does not end");
        assertEquals("", Files.readString(errors));

        final List<Outcome> outcomes = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        for (final String line : Files.readAllLines(output, StandardCharsets.UTF_8))
        {
            final Matcher record = RECORD.matcher(line);
            if (record.matches())
            {
                entries.add(new Entry(
                    Long.parseLong(record.group(1)), Long.parseLong(record.group(2)),
                    Base64.getDecoder().decode(record.group(3))));
            }
            else
            {
                outcomes.add(new Outcome(entries, ending(line, segmentLength), beside(line)));
                entries = new ArrayList<>();
            }
        }
        assertEquals(paths.size(), outcomes.size());
        final boolean isWhole = outcomes.stream().allMatch((outcome) -> outcome.end().startsWith("end "));
        assertEquals(isWhole, 0 == process.exitValue());
        return outcomes;
    }

    private static String ending(final String line, final int segmentLength)
    {
        final Matcher error = ERROR.matcher(line);
        if (error.matches())
        {
            // The library has one exception for damage and for foreign files.
            return error.group(1) + " " + ("foreign".equals(error.group(2)) ? "corrupt" : error.group(2));
        }

        final Matcher end = END.matcher(line);
        assertTrue(end.matches(), line);
        return end(
            Long.parseLong(end.group(1)), Long.parseLong(end.group(2)), Boolean.parseBoolean(end.group(3)),
            Long.parseLong(end.group(4)), segmentLength);
    }

    private static String beside(final String line)
    {
        final Matcher end = END.matcher(line);
        // An absent value is reported as 0.
        return !end.matches() ? "" : "forced=" + ("null".equals(end.group(5)) ? "0" : end.group(5)) +
            " unfinished=" + end.group(6) + " cursors=" + end.group(7);
    }
}
