package io.journal.replicated.aeron;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.journal.replicated.support.TestCluster;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Which directories of buffers a writer deletes when it connects: those of killed writers alone.
 */
class AeronDirectoriesTest
{
    @TempDir
    private Path directory;
    private AeronEngine engine;
    private MediaDriver driver;

    @BeforeEach
    void launch()
    {
        engine = new AeronEngine().memoryDirectory(directory);
        driver = MediaDriver.launch(new MediaDriver.Context().aeronDirectoryName(AeronDirectories.of(engine))
            .threadingMode(ThreadingMode.SHARED).dirDeleteOnStart(true).dirDeleteOnShutdown(true));
        TestCluster.await(
            "a heartbeat",
            () -> CommonContext.isDriverActive(new File(driver.aeronDirectoryName()), 10_000, (message) ->
            {
            }));
    }

    @AfterEach
    void close()
    {
        driver.close();
    }

    @Test
    void directoryOfAKilledWriterIsDeleted() throws Exception
    {
        final Path killed = copy(AeronDirectories.of(engine));
        write(killed, CncFileDescriptor.pidOffset(0), pidOfNone());
        writeHeartbeat(killed, 2 * AeronParts.PAUSE_NS);

        AeronDirectories.deleteAbandoned(driver.aeronDirectoryName());

        assertFalse(Files.exists(killed));
        assertTrue(Files.exists(Path.of(driver.aeronDirectoryName())));
    }

    @Test
    void directoriesThatMayBeInUseAreKept() throws Exception
    {
        final Path stopped = copy(AeronDirectories.of(engine));
        writeHeartbeat(stopped, 2 * AeronParts.PAUSE_NS);
        final Path ofAnotherNamespace = copy(AeronDirectories.of(engine));
        write(ofAnotherNamespace, CncFileDescriptor.pidOffset(0), pidOfNone());
        final Path starting = copy(AeronDirectories.of(engine));
        write(starting, CncFileDescriptor.pidOffset(0), pidOfNone());
        writeHeartbeat(starting, 2 * AeronParts.PAUSE_NS);
        write(starting, CncFileDescriptor.cncVersionOffset(0), 0);
        final Path empty = Files.createDirectory(Path.of(AeronDirectories.of(engine)));
        // The member's next start deletes it.
        final Path ofMember = copy(AeronDirectories.of(engine, directory));
        write(ofMember, CncFileDescriptor.pidOffset(0), pidOfNone());
        writeHeartbeat(ofMember, 2 * AeronParts.PAUSE_NS);

        AeronDirectories.deleteAbandoned(driver.aeronDirectoryName());

        for (final Path kept : new Path[]{ stopped, ofAnotherNamespace, starting, empty, ofMember })
        {
            assertTrue(Files.exists(kept), kept::toString);
        }
    }

    private Path copy(final String name) throws IOException
    {
        final Path copy = Files.createDirectory(Path.of(name));
        Files.copy(
            Path.of(driver.aeronDirectoryName()).resolve(CncFileDescriptor.CNC_FILE),
            copy.resolve(CncFileDescriptor.CNC_FILE));
        return copy;
    }

    private static long pidOfNone() throws Exception
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-version").start();
        assertEquals(0, process.waitFor());
        return process.pid();
    }

    private void writeHeartbeat(final Path copy, final long ageNs) throws IOException
    {
        final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(copy.resolve(CncFileDescriptor.CNC_FILE)))
        {
            channel.read(length, CncFileDescriptor.toDriverBufferLengthOffset(0));
        }
        write(
            copy,
            CncFileDescriptor.END_OF_METADATA_OFFSET + length.getInt(0) - RingBufferDescriptor.TRAILER_LENGTH +
                RingBufferDescriptor.CONSUMER_HEARTBEAT_OFFSET,
            System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(ageNs));
    }

    private static void write(final Path copy, final int offset, final long value) throws IOException
    {
        try (FileChannel channel =
            FileChannel.open(copy.resolve(CncFileDescriptor.CNC_FILE), StandardOpenOption.WRITE))
        {
            channel.write(
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, value), offset);
        }
    }
}
