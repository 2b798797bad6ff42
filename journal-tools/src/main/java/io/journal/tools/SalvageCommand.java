// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.verify.Salvage;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "salvage",
    header = "Copies every record that can be read into a new journal.",
    description = {
        "",
        "For a damaged journal, or to change the segment length. Continues after damage, where repair would " +
            "truncate and a reader would stop, and lists the missing records. Needs neither journal.control nor " +
            "whole segment files. The journal is only read, but must not be in use.",
        "",
        "The new journal begins with the same record. Records after a missing one get lower sequences; the list " +
            "shows the old and the new sequences. With --fill-tag all sequences stay: each missing record is " +
            "replaced by an empty record with that tag. Cursors, snapshots, times and the boundaries of batches are " +
            "not kept.",
        "",
        "The target appears once it is complete and durable. Until then it is in a directory beside the target, with " +
            ".unfinished appended to its name: delete that directory if the process was killed." },
    footerHeading = "%nExamples:%n",
    footer = {
        "  journal salvage orders orders.salvaged",
        "  journal salvage orders orders.new --segment-length 16MiB" })
final class SalvageCommand extends JournalCommand
{
    @Parameters(index = "1", paramLabel = "TARGET", description = "Directory of the new journal, which must not exist.")
    private Path target;

    @Option(names = "--fill-tag", paramLabel = "TAG", description = "Keep all sequences: put an empty record with " +
        "this tag in the place of each missing one.")
    private Long fillTag;

    @Option(names = "--segment-length", paramLabel = "LENGTH", converter = Length.class, description = "Of the new " +
        "journal: a power of two from 64KiB to 1GiB (default: as in the old journal).")
    private int segmentLength;

    /** Parses lengths: 65536, 64KiB, 64k. */
    private static final class Length implements ITypeConverter<Integer>
    {
        private static final Pattern PATTERN = Pattern.compile("(\\d{1,10})(?:([kmg])(?:i?b)?)?");

        @Override
        public Integer convert(final String value)
        {
            final Matcher matcher = PATTERN.matcher(value.toLowerCase(Locale.ROOT));
            if (!matcher.matches())
            {
                throw new TypeConversionException("'" + value + "' is not a length, like 65536, 64KiB or 16MiB");
            }
            final int shift = null == matcher.group(2) ? 0 : 10 * (1 + "kmg".indexOf(matcher.group(2)));
            // Return -1, which the library rejects, for 0 (its default) and for a number that does not fit an int.
            final long length = Long.parseLong(matcher.group(1)) << shift;
            return 0 == length || length != (int)length ? -1 : (int)length;
        }
    }

    @Override
    public Integer call()
    {
        final Salvage.Result result = Salvage.copy(
            path, target, segmentLength, null == fillTag ? OptionalLong.empty() : OptionalLong.of(fillTag));
        if (!isJson)
        {
            int gap = 0;
            for (final Salvage.Range range : result.copied())
            {
                for (; gap < result.missing().size() && result.missing().get(gap).first() < range.first(); gap++)
                {
                    print(result.missing().get(gap));
                }
                Text.line(out(), "copied", Text.records(range.first(), range.last()) +
                    (range.first() == range.newFirst() ? "" :
                        ", which begin at " + Text.number(range.newFirst()) + " now"));
            }
            result.missing().subList(gap, result.missing().size()).forEach(this::print);
        }
        print(result, "Written to " + target + ": " + Text.count(result.records(), "record") +
            (result.missing().isEmpty() ? "; nothing is missing." : "."));
        return result.missing().isEmpty() ? ExitCode.OK : ExitCode.DAMAGED;
    }

    private void print(final Salvage.Gap gap)
    {
        final String what;
        if (Salvage.UNKNOWN == gap.last())
        {
            what = "what may follow " + (gap.first() > 1 ? "record " + Text.number(gap.first() - 1) : "the beginning");
        }
        else
        {
            what = Salvage.UNKNOWN == gap.first() ? "what may be before record " + Text.number(gap.last() + 1) :
                Text.records(gap.first(), gap.last());
        }
        Text.line(out(), "MISSING", what + (gap.file().isEmpty() ? "" :
            " (" + gap.file() + ", offset " + Text.number(gap.offset()) + ": " + Text.harmless(gap.found()) + ")"));
    }
}
