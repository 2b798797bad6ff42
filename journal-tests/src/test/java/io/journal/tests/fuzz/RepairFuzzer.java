// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.fuzz;

import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.Backend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.StepStore;
import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.JournalRepair;
import io.journal.verify.JournalVerifier;
import io.journal.verify.SegmentCheck;
import io.journal.verify.Verdict;

/**
 * Verifies and repairs a journal whose files were changed arbitrarily. A journal that the verifier accepts opens and is
 * readable to its end.
 */
public final class RepairFuzzer
{
    private RepairFuzzer()
    {
    }

    /** Tries one input. */
    public static void fuzzerTestOneInput(final byte[] bytes)
    {
        final FuzzInput input = new FuzzInput(bytes);
        final FuzzedJournal files = FuzzedJournal.choose(input, FuzzDirectory.scratch());
        while (input.hasMore())
        {
            files.change(input);
        }

        final JournalDirectory directory = FuzzDirectory.directory();
        directory.restore(files.files());
        try
        {
            final Verdict verdict = verify(directory);
            if (isRepairable(verdict))
            {
                repair(directory, verdict);
                verify(directory);
            }
            else if (isOpening(verdict) && !files.isForged())
            {
                readAll(directory, files, verdict);
            }
        }
        catch (final JournalException ignore)
        {
            // The damage is reported.
        }
    }

    private static Verdict verify(final JournalDirectory directory)
    {
        final JournalVerifier verifier = JournalVerifier.open(directory.path);
        final List<SegmentCheck> checks = new ArrayList<>();
        for (final long ordinal : verifier.ordinals())
        {
            checks.add(verifier.check(ordinal, (read) ->
            {
            }));
        }
        return verifier.conclude(checks);
    }

    private static boolean isRepairable(final Verdict verdict)
    {
        return !verdict.areRecordsWhole() && verdict.findings().stream().allMatch(
            (finding) -> isHarmless(finding) ||
                Severity.DAMAGE == finding.severity() && finding.place().position() >= 0);
    }

    private static boolean isOpening(final Verdict verdict)
    {
        return verdict.findings().stream().allMatch(RepairFuzzer::isHarmless);
    }

    /** Whether the journal opens despite the verdict, with all its records. */
    private static boolean isHarmless(final Finding finding)
    {
        return Severity.TAIL == finding.severity() || Severity.NOTE == finding.severity();
    }

    private static void repair(final JournalDirectory directory, final Verdict verdict)
    {
        try (JournalRepair repair = JournalRepair.open(directory.path))
        {
            repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1);
        }
        catch (final IllegalArgumentException ignore)
        {
            // The repair is refused because no record would be left.
        }
    }

    private static void readAll(final JournalDirectory directory, final FuzzedJournal files, final Verdict verdict)
    {
        final String place = verdict.toString();
        try (Journal journal = Journal.builder(directory.path)
            .store(StepStore.unforced(Backend.FILE_CHANNEL.store(directory.path)))
            .backgroundThread(false)
            .open();
            JournalReader reader = journal.openReader())
        {
            if (journal.lastSequence() != verdict.lastSequence())
            {
                throw new AssertionError("lastSequence=" + journal.lastSequence() + ", " + place);
            }
            OpenFuzzer.forwards(reader, files, journal.firstSequence());
            if (reader.nextSequence() != journal.lastSequence() + 1)
            {
                throw new AssertionError("read up to " + reader.nextSequence() + ", " + place);
            }
        }
        catch (final UnsupportedFormatException ignore)
        {
            // The journal can be read, but not written to.
        }
        catch (final JournalException ex)
        {
            throw new AssertionError("found in order, and is not: " + place, ex);
        }
    }
}
