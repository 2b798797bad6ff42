package io.journal.bench.journal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.Retention;
import io.journal.bench.run.Arguments;
import io.journal.store.Backend;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;

/**
 * The journal that a case measures: its settings and its expected records.
 */
public record JournalUnderTest(
    Arguments args, Path path, Backend backend, int segmentLength, int recordLength, Records records)
{
    /** Names of force policies in options and results. */
    static final Pattern POLICY = Pattern.compile("manual|everyRecord|every(\\d{1,7})ms");

    /** @param name of its directory. */
    public static JournalUnderTest of(final Arguments args, final String name)
    {
        final int recordLength = args.length("recordLength");
        return new JournalUnderTest(
            args, args.directory().resolve(name), args.one(Backend.class, "backend"), args.length("segmentLength"),
            recordLength, new Records(recordLength));
    }

    static ForcePolicy policy(final String name)
    {
        final Matcher matcher = POLICY.matcher(name);
        if (!matcher.matches())
        {
            throw new IllegalArgumentException("no such policy: " + name);
        }

        final String ms = matcher.group(1);
        return null != ms ? ForcePolicy.every(Duration.ofMillis(Long.parseLong(ms))) :
            "manual".equals(name) ? ForcePolicy.manual() : ForcePolicy.everyRecord();
    }

    /** With the settings among the arguments; the others are the journal's defaults. */
    public JournalBuilder builder()
    {
        return builder(path);
    }

    /** The same in another directory. */
    public JournalBuilder builder(final Path path)
    {
        final JournalBuilder builder = Journal.builder(path).backend(backend).segmentLength(segmentLength);
        argument("windowLength").map(Integer::valueOf).ifPresent(builder::writeWindow);
        argument("forcePolicy").map(JournalUnderTest::policy).ifPresent(builder::force);
        argument("recycling").map(Boolean::valueOf).ifPresent(builder::recycleSegments);
        argument("keptSegments").map(Long::valueOf)
            .ifPresent((kept) -> builder.retention(Retention.bytes(kept * segmentLength)));
        return builder;
    }

    private Optional<String> argument(final String name)
    {
        return Optional.ofNullable(args.values().get(name));
    }

    public Journal open()
    {
        return builder().open();
    }

    /** Opens it with default settings, so that nothing is pruned. */
    public Journal reopen()
    {
        return Journal.builder(path).backend(backend).openExisting();
    }

    /**
     * Checks the closed journal by independent code: with the verifier, and by reading the records through another
     * backend.
     *
     * @param last sequence that was appended.
     * @return sequence of the first record that was retained.
     * @throws IllegalStateException if a record is wrong or missing.
     */
    public long check(final long last)
    {
        final Verdict verdict = JournalVerifier.verify(path);
        if (verdict.isDamaged() || !verdict.isCleanlyClosed())
        {
            throw new IllegalStateException("damaged journal: " + verdict.findings());
        }
        final Backend other = Backend.FILE_CHANNEL == backend ? Backend.RANDOM_ACCESS_FILE : Backend.FILE_CHANNEL;
        try (Journal journal = Journal.builder(path).backend(other).openExisting())
        {
            records.check(journal, last);
            return journal.firstSequence();
        }
    }
}
