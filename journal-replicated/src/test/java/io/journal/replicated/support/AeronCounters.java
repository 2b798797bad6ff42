package io.journal.replicated.support;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.aeron.CncFileDescriptor;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.status.CountersReader;

/** What Aeron counts of its clusters, among them the state of an election: its constants in {@code ElectionState}. */
final class AeronCounters
{
    private AeronCounters()
    {
    }

    /** {@return the counters of all members and writers whose buffers are in a directory} */
    static String of(final Path directory)
    {
        final StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(directory))
        {
            files.map((file) -> file.resolve(CncFileDescriptor.CNC_FILE)).filter(Files::exists)
                .forEach((file) -> append(text, file));
        }
        catch (final IOException ex)
        {
            text.append(ex).append('\n');
        }
        return text.toString();
    }

    private static void append(final StringBuilder text, final Path file)
    {
        text.append(file).append('\n');
        final MappedByteBuffer mapped = IoUtil.mapExistingFile(file.toFile(), "counters");
        try
        {
            final DirectBuffer metaData = CncFileDescriptor.createMetaDataBuffer(mapped);
            final CountersReader counters = new CountersReader(
                CncFileDescriptor.createCountersMetaDataBuffer(mapped, metaData),
                CncFileDescriptor.createCountersValuesBuffer(mapped, metaData));
            counters.forEach((counterId, typeId, keyBuffer, label) ->
            {
                if (label.contains("luster"))
                {
                    text.append("    ").append(label).append(": ").append(counters.getCounterValue(counterId))
                        .append('\n');
                }
            });
        }
        finally
        {
            BufferUtil.free(mapped);
        }
    }
}
