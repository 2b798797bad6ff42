package io.journal.tools;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

import io.journal.verify.JournalVerifier;
import io.journal.verify.JournalVerifier.Finding;
import io.journal.verify.JournalVerifier.SegmentCheck;
import io.journal.verify.JournalVerifier.Severity;
import io.journal.verify.JournalVerifier.Verdict;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Reads a whole journal, several segments in parallel. If it looks damaged, it is read again as long as the findings
 * change: a writer may be active.
 */
final class Verification
{
    private static final int MAX_ROUNDS = 50;
    private static final int MAX_THREADS = 16;

    private final JournalVerifier journal;
    private final List<SegmentCheck> checks;
    private final Verdict verdict;

    private Verification(final JournalVerifier journal, final List<SegmentCheck> checks, final Verdict verdict)
    {
        this.journal = journal;
        this.checks = checks;
        this.verdict = verdict;
    }

    /**
     * @param threads to read with, or 0 for one per processor.
     * @param console where progress is drawn, or null.
     */
    static Verification of(final Path path, final int threads, final PrintStream console)
    {
        Verification verification = run(path, threads, console);
        Verdict before = null;
        // A writer at work makes files look missing or damaged, but hardly ever twice in the same way.
        for (int round = 1; round < MAX_ROUNDS && verification.verdict.isDamaged() &&
            !verification.verdict.findings().equals(null == before ? null : before.findings()); round++)
        {
            before = verification.verdict;
            verification = run(path, threads, null);
        }

        return verification;
    }

    JournalVerifier journal()
    {
        return journal;
    }

    List<SegmentCheck> checks()
    {
        return checks;
    }

    Verdict verdict()
    {
        return verdict;
    }

    /**
     * Whether something other than a cursor was written by a newer version of the library.
     */
    boolean isOfNewerFormat()
    {
        return has(Severity.NEWER_FORMAT, false);
    }

    /**
     * Whether something could not be read, so that its state is unknown.
     */
    boolean isUnreadable()
    {
        return has(Severity.UNREADABLE, false) || has(Severity.UNREADABLE, true);
    }

    /**
     * Exit code of a verification. Records come first: cursors count only if all records are whole.
     */
    int exitCode()
    {
        if (!verdict.isDamaged())
        {
            return ExitCode.OK;
        }
        final boolean isOfCursors = verdict.areRecordsWhole();
        if (has(Severity.UNREADABLE, isOfCursors))
        {
            return !isOfCursors && isOfNewerFormat() ? ExitCode.NO_JOURNAL : ExitCode.FAILED;
        }

        return isOfCursors ? has(Severity.UNUSABLE) ? ExitCode.DAMAGED : ExitCode.NO_JOURNAL :
            isOfNewerFormat() ? ExitCode.NO_JOURNAL : ExitCode.DAMAGED;
    }

    long unusableCursors()
    {
        return verdict.findings().stream()
            .map(Finding::cursor).filter((cursor) -> !cursor.isEmpty()).distinct().count();
    }

    private boolean has(final Severity severity)
    {
        return verdict.findings().stream().anyMatch((finding) -> severity == finding.severity());
    }

    private boolean has(final Severity severity, final boolean isOfCursors)
    {
        return verdict.findings().stream()
            .anyMatch((finding) -> severity == finding.severity() && isOfCursors == finding.isOfCursors());
    }

    private static Verification run(final Path path, final int threads, final PrintStream console)
    {
        final JournalVerifier journal = JournalVerifier.open(path);
        final List<Long> ordinals = journal.ordinals();
        final int count = Math.max(1, Math.min(
            0 == threads ? Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()) : threads,
            ordinals.size()));
        final ExecutorService executor = Executors.newFixedThreadPool(count);
        try (ProgressBar bar = null == console ? null : bar(console, (long)ordinals.size() * journal.segmentLength()))
        {
            final LongConsumer progress = null == bar ? (bytes) ->
            {
            } : bar::stepBy;
            final List<Future<SegmentCheck>> futures = new ArrayList<>();
            for (final long ordinal : ordinals)
            {
                futures.add(executor.submit(() -> journal.check(ordinal, progress)));
            }
            final List<SegmentCheck> checks = new ArrayList<>();
            for (final Future<SegmentCheck> future : futures)
            {
                checks.add(future.get());
            }

            return new Verification(journal, checks, journal.conclude(checks));
        }
        catch (final ExecutionException ex)
        {
            throw new IllegalStateException("cannot verify: path=" + path, ex.getCause());
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new Refusal(ExitCode.FAILED, "interrupted");
        }
        finally
        {
            executor.shutdownNow();
        }
    }

    private static ProgressBar bar(final PrintStream console, final long length)
    {
        return new ProgressBarBuilder()
            .setTaskName("reading")
            .setInitialMax(length)
            .setUnit(" MiB", 1024 * 1024)
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new me.tongfei.progressbar.ConsoleProgressBarConsumer(console))
            .build();
    }
}
