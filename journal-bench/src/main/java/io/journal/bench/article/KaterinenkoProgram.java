// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Machine;
import io.journal.bench.run.RawFile;
import io.journal.bench.run.Unit;

/**
 * The "java-io-benchmark" of Roman Katerinenko. Its programs in their shape, which determines what the JIT compiler
 * makes of them: an object for all repeats, a line per call, buffers in fields of the original's types.
 * <p>
 * With its weaknesses: single bytes are put into streams, buffers and mappings; data read is not used; read buffers are
 * flipped instead of cleared; a mapped file is closed before anything reached the device.
 */
abstract class KaterinenkoProgram
{
    /** The original's eight cases, in its order. */
    enum Case
    {
        DirectGen("DirectByteBufferGenerator",
            (file) -> new BufferGenerator(file, ByteBuffer::allocateDirect)),

        DirectIn("DirectByteBufferInput",
            (file) -> new BufferInput(file, ByteBuffer::allocateDirect)),

        StreamsGen("StreamsBasedGenerator", StreamGenerator::new),

        StreamsIn("StreamsBasedInput", StreamInput::new),

        IndirectGen("IndirectByteBufferGenerator",
            (file) -> new BufferGenerator(file, ByteBuffer::allocate)),

        IndirectIn("IndirectByteBufferInput",
            (file) -> new BufferInput(file, ByteBuffer::allocate)),

        MmapGen("MemoryMappedGenerator", MappedGenerator::new),

        MmapIn("MemoryMappedInput", MappedInput::new);

        /** Name in the original's output. */
        final String originalName;
        /** The original's program, one for all repeats. */
        final Function<LineFile, KaterinenkoProgram> program;

        Case(final String originalName, final Function<LineFile, KaterinenkoProgram> program)
        {
            this.originalName = originalName;
            this.program = program;
        }

        boolean isGenerator()
        {
            return name().endsWith("Gen");
        }
    }

    private static final Pattern TITLE = Pattern.compile("(\\w+):");
    private static final Pattern RUNS = Pattern.compile("runs \\(millis\\):(.*)");
    private static final double MB = 1024 * 1024;
    private static final double MS_PER_S = 1e3;

    final LineFile file;
    private Closeable opened;

    private KaterinenkoProgram(final LineFile file)
    {
        this.file = file;
    }

    /** All repeats of a case before the next; deleting, creating, opening and closing inside the measured time. */
    public static void main(final String[] args) throws IOException
    {
        Locale.setDefault(Locale.US);
        final Arguments arguments = Arguments.of(args);
        final int repeats = arguments.length("repeats");
        final LineFile file = new LineFile(
            arguments.directory().resolve("1.txt"), arguments.number("length"), arguments.length("bufferLength"));
        System.out.printf(
            "TestParams{filePath='1.txt', fileSizeInBytes=%d, bufferSizeInBytes=%d, repeats=%d}%n" +
                "-------------------%n",
            file.length, file.bufferLength, repeats);
        file.write();
        for (final Case each : Case.values())
        {
            final KaterinenkoProgram program = each.program.apply(file);
            final double[] times = new double[repeats];
            for (int i = 0; i < repeats; i++)
            {
                unmapIfFull(file);
                final long start = System.nanoTime();
                program.init();
                final long moved = program.run();
                program.close();
                times[i] = System.nanoTime() - start;
                Content.check("length: case=" + each, file.length, moved);
            }
            file.verify();
            System.out.print(text(each.originalName, file.length, times));
        }
    }

    /**
     * Unmaps the deleted files of earlier repeats if there is no room for another one, or if they occupy memory. Else
     * they stay, as in the original: unmapping them before each repeat makes the mapped generator twice as fast.
     */
    private static void unmapIfFull(final LineFile file) throws IOException
    {
        final Path directory = file.path.toAbsolutePath().resolve("..").normalize();
        if (Machine.isInMemory(directory) || Files.getFileStore(directory).getUsableSpace() < file.length)
        {
            System.gc();
        }
    }

    /** The statistics that the original prints, of times in nanoseconds; its sigma in percent is that of the range. */
    static String text(final String name, final long length, final double... times)
    {
        final DoubleSummaryStatistics all = Arrays.stream(times).summaryStatistics();
        final double mean = all.getAverage();
        // In floating point: a sum of squares in long overflows when runs differ by seconds.
        final double sigma = Math.sqrt(
            Arrays.stream(times).map((time) -> (time - mean) * (time - mean)).sum() / times.length);
        final double range = all.getMax() - all.getMin();
        return String.join(
            "\n", name + ":", "avg:" + text(mean, length), "min:" + text(all.getMin(), length),
            "max:" + text(all.getMax(), length), "sygma:" + text(sigma, length) +
                String.format("(%f%%)", 0 == range ? 0 : 100 * sigma / range),
            "runs (millis):" + Arrays.stream(times).mapToObj((time) -> (long)(time / Unit.NS_PER_MS) + ", ")
                .collect(Collectors.joining()),
            "", "--------------------------", "");
    }

    private static String text(final double ns, final long length)
    {
        final boolean isShort = ns < Unit.NS_PER_MS;
        return String.format(
            "%f %s %.3f (MB/s)", ns / (isShort ? Unit.NS_PER_US : Unit.NS_PER_MS), isShort ? "micros" : "millis",
            length / MB * Unit.NS_PER_S / ns);
    }

    /** Results of the printed lines: a round for each run. */
    static List<RawFile.Line> parse(final long length, final int bufferLength, final List<String> printed)
    {
        final List<RawFile.Line> lines = new ArrayList<>();
        String name = "";
        for (final String text : printed)
        {
            final Matcher title = TITLE.matcher(text);
            final Matcher runs = RUNS.matcher(text);
            if (title.matches())
            {
                name = title.group(1);
            }
            else if (runs.matches())
            {
                final String found = name;
                final Case each = Arrays.stream(Case.values()).filter((one) -> one.originalName.equals(found))
                    .findFirst().orElseThrow();
                final String[] ms = runs.group(1).trim().split(",\\s*");
                for (int i = 0; i < ms.length; i++)
                {
                    lines.add(new RawFile.Line(
                        i + 1, each + ", buffer of " + bufferLength + " B", Map.of("way", each.name()), Map.of(
                            each.isGenerator() ? FileTrial.WRITE : FileTrial.READ,
                            Double.toString(length * MS_PER_S / Math.max(1, Long.parseLong(ms[i]))))));
                }
            }
        }
        return lines;
    }

    /** Opens the file; a generator deletes and creates it before. */
    abstract void init() throws IOException;

    /**
     * Writes or reads the whole file.
     *
     * @return number of bytes.
     */
    abstract long run() throws IOException;

    final void close() throws IOException
    {
        opened.close();
    }

    /** Keeps what is to be closed. */
    final <C extends Closeable> C opened(final C closeable)
    {
        opened = closeable;
        return closeable;
    }

    /** Writes a file line by line. */
    private abstract static class Generator extends KaterinenkoProgram
    {
        final byte[] separator = LineFile.SEPARATOR;
        private long remaining;

        Generator(final LineFile file)
        {
            super(file);
        }

        @Override
        final void init() throws IOException
        {
            Files.deleteIfExists(file.path);
            Files.createFile(file.path);
            remaining = file.length;
            open();
        }

        @Override
        final long run() throws IOException
        {
            while (remaining > 0)
            {
                remaining -= nextLine();
            }

            return file.length - remaining;
        }

        abstract void open() throws IOException;

        /** Returns its length. */
        abstract long nextLine() throws IOException;

        final long valueCount()
        {
            return Math.min(remaining, file.bufferLength - separator.length);
        }
    }

    /** Fills a buffer, and writes it. */
    static final class BufferGenerator extends Generator
    {
        private final IntFunction<ByteBuffer> allocator;
        private ByteBuffer buffer;
        private FileChannel channel;

        BufferGenerator(final LineFile file, final IntFunction<ByteBuffer> allocator)
        {
            super(file);
            this.allocator = allocator;
        }

        @Override
        void open() throws IOException
        {
            channel = opened(FileChannel.open(file.path, StandardOpenOption.WRITE, StandardOpenOption.READ));
            buffer = allocator.apply(file.bufferLength);
        }

        @Override
        long nextLine() throws IOException
        {
            buffer.clear();
            final long count = valueCount();
            for (int i = 0; i < count; i++)
            {
                buffer.put(LineFile.VALUE);
            }
            buffer.put(separator);
            buffer.flip();
            channel.write(buffer);
            return count + separator.length;
        }
    }

    /** Writes byte by byte, through the default buffer. */
    static final class StreamGenerator extends Generator
    {
        private OutputStream out;

        StreamGenerator(final LineFile file)
        {
            super(file);
        }

        @Override
        void open() throws IOException
        {
            out = opened(new BufferedOutputStream(new FileOutputStream(file.path.toString())));
        }

        @Override
        long nextLine() throws IOException
        {
            final long count = valueCount();
            for (int i = 0; i < count; i++)
            {
                out.write(LineFile.VALUE);
            }
            out.write(separator);
            return count + separator.length;
        }
    }

    /** Stores byte by byte, through a field of the buffers' common type. */
    static final class MappedGenerator extends Generator
    {
        private ByteBuffer buffer;

        MappedGenerator(final LineFile file)
        {
            super(file);
        }

        @Override
        void open() throws IOException
        {
            final FileChannel channel =
                opened(FileChannel.open(file.path, StandardOpenOption.WRITE, StandardOpenOption.READ));
            buffer = channel.map(MapMode.READ_WRITE, 0, file.length);
        }

        @Override
        long nextLine()
        {
            final long count = valueCount();
            for (int i = 0; i < count; i++)
            {
                buffer.put(LineFile.VALUE);
            }
            buffer.put(separator);
            return count + separator.length;
        }
    }

    /** Fills a buffer again and again. */
    static final class BufferInput extends KaterinenkoProgram
    {
        private final IntFunction<ByteBuffer> allocator;
        private ByteBuffer buffer;
        private FileChannel channel;

        BufferInput(final LineFile file, final IntFunction<ByteBuffer> allocator)
        {
            super(file);
            this.allocator = allocator;
        }

        @Override
        void init() throws IOException
        {
            channel = opened(FileChannel.open(file.path, StandardOpenOption.READ));
            buffer = allocator.apply(file.bufferLength);
        }

        @Override
        long run() throws IOException
        {
            while (channel.read(buffer) > 0)
            {
                // As in the original: correct only if each read fills the buffer.
                buffer.flip();
            }

            return channel.position();
        }
    }

    /** Reads arrays. */
    static final class StreamInput extends KaterinenkoProgram
    {
        private byte[] array;
        private FileInputStream bare;
        private InputStream in;

        StreamInput(final LineFile file)
        {
            super(file);
        }

        @Override
        void init() throws IOException
        {
            bare = new FileInputStream(file.path.toString());
            in = opened(new BufferedInputStream(bare));
            array = new byte[file.bufferLength];
        }

        @Override
        long run() throws IOException
        {
            while (in.read(array) > 0)
            {
                // The data is not used.
                continue;
            }

            return bare.getChannel().position();
        }
    }

    /** Copies arrays out of the mapping. */
    static final class MappedInput extends KaterinenkoProgram
    {
        private byte[] array;
        private MappedByteBuffer buffer;

        MappedInput(final LineFile file)
        {
            super(file);
        }

        @Override
        void init() throws IOException
        {
            final FileChannel channel = opened(FileChannel.open(file.path, StandardOpenOption.READ));
            buffer = channel.map(MapMode.READ_ONLY, 0, channel.size());
            array = new byte[file.bufferLength];
        }

        @Override
        long run()
        {
            while (buffer.get(array).position() < buffer.limit())
            {
                // The data is not used.
                continue;
            }

            return buffer.position();
        }
    }

    /** A file of lines as long as a buffer, of one repeated byte and a line separator. The last line is truncated. */
    record LineFile(Path path, long length, int bufferLength)
    {
        static final byte VALUE = 123;
        static final byte[] SEPARATOR = System.lineSeparator().getBytes(StandardCharsets.US_ASCII);

        private byte at(final long offset)
        {
            final int separatorAt = bufferLength - SEPARATOR.length;
            final int at = (int)(offset % bufferLength);
            return at < separatorAt ? VALUE : SEPARATOR[at - separatorAt];
        }

        /** Writes a new file, independently of the measured code. */
        void write() throws IOException
        {
            Content.write(path, length, this::at);
        }

        /** @throws IllegalStateException if a byte or the length is wrong. */
        void verify() throws IOException
        {
            Content.verify(path, length, this::at);
        }
    }
}
