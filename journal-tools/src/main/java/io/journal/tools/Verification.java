package io.journal.tools;

import java.io.PrintStream;
import java.nio.file.Path;

import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;

/**
 * Verifies a whole journal, several segments in parallel, and draws the progress.
 */
final class Verification
{
    private static final int MAX_THREADS = 16;

    private final Path path;
    private final Verdict verdict;

    private Verification(final Path path, final Verdict verdict)
    {
        this.path = path;
        this.verdict = verdict;
    }

    /**
     * @param threads to read with, or 0 for one per processor.
     * @param console where progress is drawn, or null.
     */
    static Verification of(final Path path, final int threads, final PrintStream console)
    {
        final int count = 0 == threads ? Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()) : threads;
        if (null == console)
        {
            return new Verification(path, JournalVerifier.verify(path, count, (bytes) ->
            {
            }));
        }

        final JournalVerifier journal = JournalVerifier.open(path);
        try (Progress progress = Progress.ofBytes(
            console, "reading", (long)journal.ordinals().size() * journal.segmentLength()))
        {
            return new Verification(path, JournalVerifier.verify(path, count, progress::stepBy));
        }
    }

    Path path()
    {
        return path;
    }

    Verdict verdict()
    {
        return verdict;
    }

    /**
     * Whether something other than a snapshot was written by a newer version of the library.
     */
    boolean isOfNewerFormat()
    {
        return has(Severity.NEWER_FORMAT, false);
    }

    /**
     * Whether something that a repair depends on could not be read, so that its state is unknown.
     */
    boolean isUnreadable()
    {
        return verdict.findings().stream()
            .anyMatch((finding) -> Severity.UNREADABLE == finding.severity() && !finding.isOfSnapshots());
    }

    /**
     * Exit code of a verification. Records come first: snapshots count only if all records are whole.
     */
    int exitCode()
    {
        if (!verdict.isDamaged())
        {
            return ExitCode.OK;
        }
        final boolean isBeside = verdict.areRecordsWhole();
        if (has(Severity.UNREADABLE, isBeside))
        {
            return !isBeside && isOfNewerFormat() ? ExitCode.NO_JOURNAL : ExitCode.FAILED;
        }

        return isBeside ? has(Severity.UNUSABLE) ? ExitCode.DAMAGED : ExitCode.NO_JOURNAL :
            isOfNewerFormat() ? ExitCode.NO_JOURNAL : ExitCode.DAMAGED;
    }

    long unusableSnapshots()
    {
        return verdict.findings().stream().filter(Finding::isOfSnapshots).count();
    }

    private boolean has(final Severity severity)
    {
        return verdict.findings().stream().anyMatch((finding) -> severity == finding.severity());
    }

    private boolean has(final Severity severity, final boolean isBeside)
    {
        return verdict.findings().stream()
            .anyMatch((finding) -> severity == finding.severity() && isBeside == finding.isOfSnapshots());
    }
}
