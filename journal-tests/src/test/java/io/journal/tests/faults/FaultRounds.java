// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlFile;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.Backend;
import io.journal.tests.faults.FaultOperation.Template;
import io.journal.tests.faults.PreloadedFaults.Call;

import static io.journal.tests.support.JournalFixture.deleteTree;

/**
 * A process with {@link PreloadedFaults}. Repeats each {@link FaultOperation}, with another system call failing each
 * time, and checks the exception and the resulting state.
 * <p>
 * Prints {@code rounds} and {@code failures}, and writes a report in which each failure names the option that repeats
 * it.
 */
public final class FaultRounds
{
    private static final int EIO = 5;
    private static final int ENOMEM = 12;
    private static final int EINTR = 4;
    private static final int EMFILE = 24;
    private static final int ENOSPC = 28;
    private static final Map<Integer, String> ERRORS = Map.of(
        EIO, "EIO", ENOMEM, "ENOMEM", EINTR, "EINTR", EMFILE, "EMFILE", ENOSPC, "ENOSPC", PreloadedFaults.SHORT,
        "SHORT");
    private static final Set<String> DECIDING = Set.of("access", "stat", "lstat", "open", "create", "opendir");
    private static final Set<String> SYNCS = Set.of("fsync", "fdatasync", "msync");
    // Files that each operation has to fsync: the parent directory, the journal's directory, files.
    private static final Map<FaultOperation, Set<String>> SYNCED = Map.of(
        FaultOperation.CREATE, Set.of(".", "journal", "journal/journal.control", "journal/N.journal"),
        FaultOperation.FORCE, Set.of("journal/N.journal"),
        FaultOperation.CURSOR_SAVE, Set.of("journal/journal.control", "journal/N.journal"),
        FaultOperation.RECYCLE, Set.of("journal"),
        FaultOperation.PRUNE, Set.of("journal"));
    // Words that would mistake a transient error for damage or a missing file.
    private static final Pattern MISTAKEN = Pattern.compile(
        "missing(?!=)|no journal|not a directory|restore|damage|corrupt|gone|no such file|found=nothing|found=none|" +
            "unusable|not a regular",
        Pattern.CASE_INSENSITIVE);
    private static final long LONGEST_S = 1_800;
    private static final int MAX_SHOWN = 20;
    private static final int RANDOM_ROUNDS_WITH_THREAD = 60;

    private final PreloadedFaults faults = PreloadedFaults.attach();
    private final Path root;
    private final Path watched;
    private final Backend backend;
    private final int samples;
    private final long seed;
    private final SplittableRandom random;
    private final Map<Template, Path> templates = new EnumMap<>(Template.class);
    private final Map<Template, FaultModel> models = new EnumMap<>(Template.class);
    private final StringBuilder findings = new StringBuilder();
    private long openBefore;
    private int rounds;
    private int failures;

    private FaultRounds(final Path root, final Backend backend, final int samples, final long seed)
    {
        this.root = root;
        this.backend = backend;
        this.samples = samples;
        watched = root.resolve("watched");
        this.seed = seed;
        random = new SplittableRandom(seed);
    }

    /**
     * @param args directory for files; backends, separated by commas; how many calls of an operation are failed besides
     *             those that decide whether something is there, or -1 for all calls with all errors; seed; report;
     *             operation, index of the call and errno of one round, if only that is to be done, or an operation
     *             alone.
     */
    public static void main(final String[] args) throws Exception
    {
        final Path report = Path.of(args[4]);
        // A thorough run takes an hour and more.
        FaultedWriter.halt(Integer.parseInt(args[2]) < 0 ? 4 * LONGEST_S : LONGEST_S);
        final List<FaultRounds> all = new ArrayList<>();
        try
        {
            // All backends share a process: a young JVM is slow, which would take most of the time.
            for (final String backend : args[1].split(","))
            {
                final FaultRounds rounds = new FaultRounds(
                    Path.of(args[0]).toRealPath().resolve(backend), Backend.valueOf(backend),
                    Integer.parseInt(args[2]), Long.parseLong(args[3]));
                all.add(rounds);
                rounds.run(args);
            }
        }
        finally
        {
            final StringBuilder text = new StringBuilder();
            all.forEach((rounds) -> text.append(rounds.report()));
            Files.writeString(report, text);
        }
        FaultedWriter.say("rounds", all.stream().mapToInt((rounds) -> rounds.rounds).sum());
        FaultedWriter.say("failures", all.stream().mapToInt((rounds) -> rounds.failures).sum());
        Runtime.getRuntime().halt(0);
    }

    private void run(final String[] args) throws IOException
    {
        Files.createDirectories(watched);
        makeTemplates();
        for (final FaultOperation operation : FaultOperation.values())
        {
            if (args.length <= 5 || operation.name().equals(args[5]))
            {
                if (args.length <= 6)
                {
                    failEach(operation);
                }
                else
                {
                    round(operation, Long.parseLong(args[6]), Integer.parseInt(args[7]));
                }
            }
        }
        deleteTree(root);
    }

    private void makeTemplates() throws IOException
    {
        faults.watch(watched, true);
        Files.createDirectory(root.resolve("templates"));

        final FaultSession session = session(new FaultModel());
        session.open().append(20).force();
        save(Template.WITHOUT_CURSORS, session.model);
        // The journal has a truncation, and a cursor at its end.
        session.cursor("a").save("a", 10).cursor("b").append(45).truncate(60).save("b", 60).append(10).doWork(5);
        save(Template.KILLED, session.model);
        appendGarbage(save(Template.TORN, session.model));
        session.close();
        save(Template.CLOSED, session.model);

        loseWatermark(session.directory);
        save(Template.WITHOUT_WATERMARK, session.model);

        makeFailed(
            Template.TRUNCATING, (begun) -> begun.truncate(15),
            (directory) -> control(directory).isChangeUnfinished());
        makeFailed(
            Template.PRUNING, (begun) -> begun.prune(60),
            (directory) -> Files.exists(directory.resolve(JournalFiles.segment(0))) &&
                control(directory).state().history.startSequence > 1);
        makeFailed(
            Template.FORCE_FAILED, (begun) -> begun.append(30).force(),
            (directory) -> control(directory).isForceUnfinished());
        makeCreating();
    }

    private static void appendGarbage(final Path directory) throws IOException
    {
        final List<Path> segments;
        try (Stream<Path> files = Files.list(directory))
        {
            segments = files.filter((file) -> JournalFiles.isSegment(file.getFileName().toString())).sorted().toList();
        }
        final Path newest = segments.get(segments.size() - 1);
        final byte[] bytes = Files.readAllBytes(newest);
        int end = bytes.length;
        while (0 == bytes[end - 1])
        {
            end--;
        }
        try (FileChannel file = FileChannel.open(newest, StandardOpenOption.WRITE))
        {
            file.write(ByteBuffer.wrap(new byte[]{ 1, 2, 3, 4, 5, 6, 7, 8, 9 }), (end + 7) & -8);
        }
    }

    private interface State
    {
        boolean isReached(Path directory) throws IOException;
    }

    private ControlContent control(final Path directory) throws IOException
    {
        return ControlContent.read(backend.store(directory), true);
    }

    private static void loseWatermark(final Path directory) throws IOException
    {
        try (FileChannel file = FileChannel.open(directory.resolve(JournalFiles.CONTROL), StandardOpenOption.WRITE))
        {
            file.write(
                ByteBuffer.allocate(ControlContent.LENGTH - ControlContent.WATERMARKS_OFFSET),
                ControlContent.WATERMARKS_OFFSET);
        }
    }

    /** Makes the files that an operation leaves if it fails halfway. */
    private void makeFailed(final Template template, final Consumer<FaultSession> operation, final State state)
        throws IOException
    {
        for (int i = 0; !templates.containsKey(template); i++)
        {
            final FaultSession session = begin(Template.CLOSED).open();
            faults.arm(i, EIO);
            try
            {
                operation.accept(session);
                if (null == faults.disarm())
                {
                    throw new IllegalStateException("no call lets it fail in its midst: " + template);
                }
            }
            catch (final JournalException ignore)
            {
                faults.disarm();
                if (session.isFailed() && state.isReached(session.directory))
                {
                    save(template, session.model);
                }
            }
            finally
            {
                faults.disarm();
                endQuietly(session);
            }
        }
    }

    /** A creation that ended before its last step. */
    private void makeCreating() throws IOException
    {
        final FaultSession session = begin(Template.NONE).open();
        session.close();
        final Path directory = session.directory;
        Files.move(directory.resolve(JournalFiles.CONTROL), directory.resolve(ControlFile.TEMPORARY));
        final Path segment = directory.resolve(JournalFiles.segment(0));
        final byte[] bytes = Files.readAllBytes(segment);
        Arrays.fill(bytes, SegmentHeader.LENGTH, bytes.length, (byte)0);
        Files.write(segment, bytes);
        save(Template.CREATING, new FaultModel());
    }

    private Path save(final Template template, final FaultModel model) throws IOException
    {
        final Path directory = root.resolve("templates").resolve(template.name());
        copy(watched.resolve("journal"), directory);
        templates.put(template, directory);
        models.put(template, model.copy());
        return directory;
    }

    private FaultSession session(final FaultModel model)
    {
        return new FaultSession(watched.resolve("journal"), backend, model);
    }

    private FaultSession begin(final Template template) throws IOException
    {
        deleteTree(watched);
        Files.createDirectories(watched);
        openBefore = faults.openDescriptors();
        if (Template.NONE == template)
        {
            return session(new FaultModel());
        }

        copy(templates.get(template), watched.resolve("journal"));
        return session(models.get(template).copy());
    }

    private static void endQuietly(final FaultSession session)
    {
        try
        {
            session.end();
        }
        catch (final JournalException ignore)
        {
            // The call has failed, as intended.
        }
    }

    private void failEach(final FaultOperation operation) throws IOException
    {
        final List<Call> calls = count(operation);
        if (!operation.isRepeatable())
        {
            final int count = samples < 0 ? RANDOM_ROUNDS_WITH_THREAD : samples;
            for (int i = 0; i < count; i++)
            {
                sample(operation, calls);
            }
            return;
        }

        if (samples < 0)
        {
            for (int i = 0; i < calls.size(); i++)
            {
                for (final int error : errors(calls.get(i).name()))
                {
                    round(operation, i, error);
                }
            }
            return;
        }

        // Calls that decide whether a file exists, once for each kind of file. Each call is tested on one of the
        // backends, because they make nearly all of these calls in the same way.
        final int turn = Math.floorMod((int)seed + backend.ordinal(), Backend.values().length);
        final Set<Call> seen = new HashSet<>();
        for (int i = 0; i < calls.size() && FaultOperation.LIFE != operation; i++)
        {
            final Call call = calls.get(i);
            if (DECIDING.contains(call.name()) && seen.add(new Call(call.name(), call.kindOfFile())) &&
                turn == seen.size() % Backend.values().length)
            {
                round(operation, i, EIO);
            }
        }
        // Appending to a mapped segment makes no call.
        for (int i = 0; i < samples && !calls.isEmpty(); i++)
        {
            sample(operation, calls);
        }
    }

    private void sample(final FaultOperation operation, final List<Call> calls) throws IOException
    {
        final int index = random.nextInt(calls.size());
        final int[] errors = errors(calls.get(index).name());
        round(operation, index, errors[random.nextInt(errors.length)]);
    }

    /** Runs an operation once without a failing call. */
    private List<Call> count(final FaultOperation operation) throws IOException
    {
        final FaultSession session = begin(operation.template);
        operation.prepare.accept(session);
        faults.count();
        operation.run.accept(session);
        final List<Call> calls = faults.calls();
        session.end();
        if (faults.openDescriptors() > openBefore)
        {
            throw new IllegalStateException(operation + ": descriptors left open, calls=" + calls);
        }
        if (!session.background.isEmpty())
        {
            throw new IllegalStateException(operation + ": " + session.background);
        }
        final Set<String> synced = calls.stream().filter((call) -> SYNCS.contains(call.name()))
            .map(Call::kindOfFile).collect(Collectors.toSet());
        if (!synced.containsAll(SYNCED.getOrDefault(operation, Set.of())))
        {
            throw new IllegalStateException(operation + " on " + backend + ": synced=" + synced + ", calls=" + calls);
        }
        return calls;
    }

    private static int[] errors(final String call)
    {
        return switch (call)
        {
            case "read", "pread" -> new int[]{ EIO, EINTR, PreloadedFaults.SHORT };
            case "write", "pwrite" -> new int[]{ EIO, ENOSPC, EINTR, PreloadedFaults.SHORT };
            case "open", "opendir", "dup" -> new int[]{ EIO, EMFILE, EINTR };
            case "create" -> new int[]{ EIO, EMFILE, ENOSPC, EINTR };
            case "fsync", "fdatasync", "ftruncate", "fallocate" -> new int[]{ EIO, ENOSPC, EINTR };
            case "mkdir", "rename", "link" -> new int[]{ EIO, ENOSPC };
            case "close" -> new int[]{ EIO, EINTR };
            case "mmap" -> new int[]{ EIO, ENOMEM };
            default -> new int[]{ EIO };
        };
    }

    private void round(final FaultOperation operation, final long index, final int error) throws IOException
    {
        rounds++;
        final FaultSession session = begin(operation.template);
        operation.prepare.accept(session);

        faults.arm(index, error);
        Throwable thrown = null;
        try
        {
            operation.run.accept(session);
        }
        catch (final Throwable ex)
        {
            thrown = ex;
        }
        final Call failed = faults.disarm();
        final Round round = new Round(operation, index, error, failed, thrown);
        if (null == failed)
        {
            // The background agent checks the fence after some time: on a slow machine it makes more calls.
            if (operation.isRepeatable() && !session.hasWorked)
            {
                round.found("call was not reached", thrown);
            }
        }
        round.check(session);
    }

    /** A failed call, and everything that is wrong with the journal afterwards. */
    private final class Round
    {
        private final FaultOperation operation;
        private final long index;
        private final int error;
        private final Call failed;
        private final Throwable thrown;

        Round(
            final FaultOperation operation, final long index, final int error, final Call failed,
            final Throwable thrown)
        {
            this.operation = operation;
            this.index = index;
            this.error = error;
            this.failed = failed;
            this.thrown = thrown;
        }

        void check(final FaultSession session) throws IOException
        {
            if (null != thrown)
            {
                checkThrown("thrown", thrown, session);
            }
            for (final Throwable ex : List.copyOf(session.background))
            {
                checkBackground(ex);
            }
            checkReported(session);
            checkDirectory(session.directory);

            final Path crashed = watched.resolve("crashed");
            final long written = session.writtenSequence();
            // With a background thread, the copy would hold files of different moments.
            if (!operation.isReading() && operation.isRepeatable())
            {
                copy(session.directory, crashed);
                final FaultModel model = session.model.copy();
                model.lostBehind(written);
                attempt("crashed at once", () -> opens(crashed, model, samples < 0));
            }
            if (null != thrown && FaultOperation.CLOSE != operation && !session.isFailed() &&
                (null == session.journal || session.isOpen()))
            {
                attempt("tried again", () -> operation.run.accept(session));
            }
            attempt("backup", session::assertCopied);
            end(session);
            if (session.isFailed())
            {
                session.model.lostBehind(written);
            }
            attempt("opened again", () -> opens(session.directory, session.model, true));
        }

        /** A directory whose name may not be durable must not be found by the next opening. */
        private void checkDirectory(final Path directory)
        {
            final boolean isOfParent = null != failed && SYNCS.contains(failed.name()) && ".".equals(failed.file());
            if (FaultOperation.CREATE == operation && null != thrown && isOfParent && Files.exists(directory))
            {
                found("left a directory whose name may not be durable", thrown);
            }
        }

        private void opens(final Path directory, final FaultModel model, final boolean isOpenedAgain)
        {
            if (Files.isDirectory(directory))
            {
                FaultSession.assertOpens(directory, backend, model, isOpenedAgain);
            }
        }

        private void checkThrown(final String when, final Throwable ex, final FaultSession session)
        {
            final Class<?> type = ex.getClass();
            if (JournalException.class != type && JournalFullException.class != type)
            {
                found(when + " " + (ex instanceof JournalException ? "as if of another cause" : "untyped"), ex);
            }
            else if (JournalFullException.class == type && ENOSPC != error)
            {
                found(when + " as if the disk were full", ex);
            }
            else
            {
                checkWords(when, ex);
            }
        }

        private void checkBackground(final Throwable ex)
        {
            if (!(ex instanceof JournalException || ex instanceof IOException) ||
                ex instanceof CorruptJournalException)
            {
                found("reported in the background untyped, or as if of another cause", ex);
            }
            else
            {
                checkWords("reported in the background", ex);
            }
        }

        private void checkWords(final String when, final Throwable ex)
        {
            for (Throwable cause = ex; null != cause; cause = cause.getCause())
            {
                if (cause instanceof NoSuchFileException || cause instanceof NotDirectoryException ||
                    MISTAKEN.matcher(words(cause)).find())
                {
                    found(when + " with words for another cause", ex);
                    return;
                }
            }
        }

        /**
         * The message of an exception without the reason that the JDK appends: the JDK looks up the text of the
         * thread's last errno, which is wrong if another call failed in the JVM since. The type of the exception is
         * right.
         */
        private String words(final Throwable ex)
        {
            String words = String.valueOf(ex.getMessage());
            for (Throwable cause = ex; null != cause; cause = cause.getCause())
            {
                if (cause instanceof FileSystemException file && null != file.getReason())
                {
                    words = words.replace(file.getReason(), "");
                }
            }
            return words;
        }

        /** A failed sync is reported, unless its file was discarded. */
        private void checkReported(final FaultSession session)
        {
            // A sync cannot be short: that injection succeeds.
            if (null != failed && SYNCS.contains(failed.name()) && EINTR != error && PreloadedFaults.SHORT != error &&
                null == thrown && session.background.isEmpty() && !session.isFailed() &&
                !failed.file().contains(JournalFiles.SPARE_PREFIX))
            {
                found("sync that failed is not reported", null);
            }
        }

        private void end(final FaultSession session)
        {
            final boolean mayThrow = session.isFailed();
            try
            {
                session.end();
            }
            catch (final JournalException ex)
            {
                if (mayThrow)
                {
                    checkThrown("thrown by close", ex, session);
                }
                else
                {
                    found("close throws after the error has passed", ex);
                }
            }
            catch (final Throwable ex)
            {
                found("thrown by close untyped", ex);
            }
            // The JDK leaks the second descriptor of a directory if closedir fails, and the descriptor of a file opened
            // for direct I/O if it cannot query the block size.
            if (faults.openDescriptors() > openBefore &&
                (null == failed || !Set.of("closedir", "statvfs").contains(failed.name())))
            {
                found("descriptors are left open: " + (faults.openDescriptors() - openBefore), thrown);
            }
        }

        private void attempt(final String when, final Runnable task)
        {
            try
            {
                task.run();
            }
            catch (final Throwable ex)
            {
                found(when, ex);
            }
        }

        private void found(final String symptom, final Throwable ex)
        {
            failures++;
            if (failures <= MAX_SHOWN)
            {
                findings.append(this).append("\n    ").append(symptom).append('\n').append(null == ex ? "" : text(ex))
                    .append(null == thrown || thrown == ex ? "" : "  after the call threw:\n" + text(thrown));
            }
        }

        @Override
        public String toString()
        {
            return "journal.test.faults=" + backend + "," + operation + "," + index + "," + error + ": " +
                name(error) + " in " + failed;
        }
    }

    private static String name(final int error)
    {
        return ERRORS.getOrDefault(error, Integer.toString(error));
    }

    private static String text(final Throwable ex)
    {
        final StringWriter text = new StringWriter();
        ex.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private String report()
    {
        return backend + ": rounds=" + rounds + ", failures=" + failures + '\n' + findings;
    }

    static void copy(final Path from, final Path to)
    {
        if (!Files.isDirectory(from))
        {
            return;
        }

        try (Stream<Path> files = Files.walk(from))
        {
            for (final Path file : (Iterable<Path>)files::iterator)
            {
                // Closing another descriptor of the lock file would release the lock.
                if (!file.endsWith(JournalFiles.LOCK))
                {
                    Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
