// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Fails single C library calls in a process that preloads it. This class controls
 * {@code src/test/native/failing_calls.c}, which describes the shared memory.
 */
final class PreloadedFaults
{
    /** Used in place of an errno: a read or write transfers half of the requested bytes. */
    static final int SHORT = -1;

    private static final String CONTROL = "JOURNAL_FAULTS";
    private static final int ERROR_OFFSET = 4;
    private static final int TARGET_OFFSET = 8;
    private static final int COUNT_OFFSET = 16;
    private static final int FIRED_OFFSET = 24;
    private static final int OPEN_OFFSET = 32;
    private static final int SKIP_SYNCS_OFFSET = 40;
    private static final int LOADED_OFFSET = 48;
    private static final int PREFIX_OFFSET = 64;
    private static final int PREFIX_LENGTH = 256;
    private static final int FAILED_OFFSET = PREFIX_OFFSET + PREFIX_LENGTH;
    private static final int NAME_LENGTH = 16;
    private static final int TRACE_LENGTH = 128;
    private static final int CALLS_OFFSET = FAILED_OFFSET + TRACE_LENGTH;
    private static final int MAX_CALLS = 8192;
    private static final int LENGTH = CALLS_OFFSET + MAX_CALLS * TRACE_LENGTH;
    private static final String NEEDED = "needs the GNU C library and 64 bits";
    private static final long COMPILE_TIMEOUT_S = 600;

    private final MappedByteBuffer memory;

    private PreloadedFaults(final MappedByteBuffer memory)
    {
        this.memory = memory;
    }

    /**
     * One call that was made on a watched path.
     *
     * @param name of the call; those that differ in the size of their types only share one.
     * @param file relative to the watched directory.
     */
    record Call(String name, String file)
    {
        /** The name of the file, with N in place of the number of a segment. */
        String kindOfFile()
        {
            return file.replaceAll("[0-9]{20}", "N");
        }

        @Override
        public String toString()
        {
            return name + "(" + file + ")";
        }
    }

    /**
     * Compiles the library, and makes the command that runs another command with the library preloaded. Skips the test
     * where that is impossible.
     */
    static List<String> command(final Path temp) throws IOException, InterruptedException
    {
        assumeTrue("Linux".equals(System.getProperty("os.name")), "needs Linux, to preload a library");
        final Path source = Path.of("src/test/native/failing_calls.c").toAbsolutePath();
        assertTrue(Files.exists(source), source::toString);
        final Path library = temp.resolve("libfailing_calls.so");
        final Path messages = temp.resolve("cc");
        final Process compiler;
        try
        {
            compiler = new ProcessBuilder(
                "cc", "-std=gnu11", "-U_FORTIFY_SOURCE", "-shared", "-fPIC", "-fvisibility=hidden", "-O1",
                "-o", library.toString(), source.toString(), "-ldl")
                .redirectErrorStream(true).redirectOutput(messages.toFile()).start();
        }
        catch (final IOException ex)
        {
            assumeTrue(false, "needs cc, to compile a library to preload: " + ex.getMessage());
            throw ex;
        }
        assertTrue(compiler.waitFor(COMPILE_TIMEOUT_S, TimeUnit.SECONDS), "cc does not end");
        final String said = Files.readString(messages);
        assumeTrue(!said.contains(NEEDED), NEEDED);
        assertEquals(0, compiler.exitValue(), said);

        final Path control = temp.resolve("control");
        Files.write(control, new byte[LENGTH]);
        return List.of("/usr/bin/env", "LD_PRELOAD=" + library, CONTROL + "=" + control);
    }

    /** The control of this process's own calls. */
    static PreloadedFaults attach()
    {
        final Path control = Path.of(System.getenv(CONTROL));
        try (FileChannel channel = FileChannel.open(control, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            final MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH);
            memory.order(ByteOrder.nativeOrder());
            assertEquals(LENGTH, memory.getLong(LOADED_OFFSET), "library is not loaded, or of another layout");
            return new PreloadedFaults(memory);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Counts the calls on files below a directory.
     *
     * @param isSkippingSyncs whether syncs return without being made, which is faster, and the same to a process.
     */
    void watch(final Path directory, final boolean isSkippingSyncs)
    {
        final byte[] prefix = directory.toString().getBytes(StandardCharsets.UTF_8);
        assertTrue(prefix.length < PREFIX_LENGTH, directory::toString);
        memory.put(PREFIX_OFFSET, new byte[PREFIX_LENGTH]);
        memory.put(PREFIX_OFFSET, prefix);
        memory.putLong(SKIP_SYNCS_OFFSET, isSkippingSyncs ? 1 : 0);
    }

    /** Resets the count to 0, and lets no call fail. */
    void count()
    {
        memory.putInt(0, 0);
        memory.putLong(COUNT_OFFSET, 0);
    }

    /** Resets the count to 0, and lets one call fail. */
    void arm(final long index, final int error)
    {
        count();
        memory.putInt(ERROR_OFFSET, error);
        memory.putLong(TARGET_OFFSET, index);
        memory.putLong(FIRED_OFFSET, 0);
        memory.putInt(0, 1);
    }

    /**
     * Lets no call fail any more.
     *
     * @return the call that failed, or null if it was not reached.
     */
    Call disarm()
    {
        memory.putInt(0, 0);
        return 0 == memory.getLong(FIRED_OFFSET) ? null : call(FAILED_OFFSET);
    }

    /** The calls since counting began. */
    List<Call> calls()
    {
        final long count = memory.getLong(COUNT_OFFSET);
        assertTrue(count <= MAX_CALLS, () -> "too many calls: " + count);
        final List<Call> calls = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            calls.add(call(CALLS_OFFSET + i * TRACE_LENGTH));
        }
        return calls;
    }

    /** Number of descriptors of files below the directory that are open. */
    long openDescriptors()
    {
        return memory.getLong(OPEN_OFFSET);
    }

    private Call call(final int offset)
    {
        return new Call(text(offset, NAME_LENGTH), text(offset + NAME_LENGTH, TRACE_LENGTH - NAME_LENGTH));
    }

    private String text(final int offset, final int maxLength)
    {
        final byte[] bytes = new byte[maxLength];
        memory.get(offset, bytes);
        int length = 0;
        while (length < maxLength && 0 != bytes[length])
        {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
