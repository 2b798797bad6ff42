// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

import io.journal.internal.SettingsFile;
import io.journal.store.Backend;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class SettingsFileTest
{
    private static final String ALL = String.join(
        "\n", "# by hand, \u00FCber Nacht", "backend=RANDOM_ACCESS_FILE", "segmentLength = 131072",
        "writeWindow: 65536", "force=every 5 ms", "recycleSegments=true", "");
    private static final String[] PIECES = {
        "backend", "force", "segmentLength", "writeWindow", "recycleSegments", "MAPPED", "everyRecord", "every 1 s",
        "65536", "-1", "2147483648", "true", "=", ":", " ", "\n", "\r", "\\", "\\u", "\\u00", "\\uD800", "#", "!",
        "\u0000", "\u00FC", "\uFEFF", "\u2028" };

    @TempDir
    private Path directory;

    private Path file;
    private JournalBuilder builder;

    @BeforeEach
    void setUp()
    {
        file = directory.resolve("journal.properties");
        builder = Journal.builder(directory.resolve("journal"));
    }

    @Test
    void fileSetsWhatItNamesAndLeavesTheRest() throws IOException
    {
        builder.maxRecordLength(100).backgroundThread(false);

        settings(ALL);

        assertEquals(Backend.RANDOM_ACCESS_FILE, builder.settings().backend);
        assertEquals(131072, builder.settings().newSegmentLength());
        assertEquals(65536, builder.settings().writeWindow);
        assertEquals(Duration.ofMillis(5).toNanos(), builder.settings().forcePolicy.intervalNs());
        assertTrue(builder.settings().isRecycling);
        assertEquals(100, builder.settings().maxRecordLength);
        assertTrue(builder.toString().contains("backgroundThread=false"), builder.toString());
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void everyBackendHasItsName(final Backend backend) throws IOException
    {
        settings("backend=" + backend);

        assertEquals(backend, builder.settings().backend);
    }

    @ParameterizedTest
    @CsvSource({ "manual,manual", "everyRecord,everyRecord", "every 0 us,every 0 us", "every 250 us,every 250 us",
        "every 20 ms,every 20000 us", "every 2 s,every 2000000 us", "every 86400 s,every 86400000000 us" })
    void aForcePolicyIsReadAsItIsPrinted(final String value, final String printed) throws IOException
    {
        settings("force=" + value);

        assertEquals(printed, builder.settings().forcePolicy.toString());
        settings("force=" + builder.settings().forcePolicy);
        assertEquals(printed, builder.settings().forcePolicy.toString());
    }

    @Test
    void lastCallWins() throws IOException
    {
        builder.backend(Backend.FILE_CHANNEL).writeWindow(1).force(ForcePolicy.everyRecord());

        settings("backend=RANDOM_ACCESS_FILE\nwriteWindow=2");
        builder.backend(Backend.MAPPED);

        assertEquals(Backend.MAPPED, builder.settings().backend);
        assertEquals(2, builder.settings().writeWindow);
        assertTrue(builder.settings().forcePolicy.isEveryRecord());
    }

    @Test
    void theSegmentLengthOfTheFileIsForNewJournalsOnly() throws IOException
    {
        settings("segmentLength=131072");
        builder.open().close();

        // Another machine's file, or a newer one: the journal that is there opens all the same.
        settings("segmentLength=65536");
        try (Journal journal = builder.open())
        {
            assertEquals(131072, journal.segmentLength());
        }

        builder.segmentLength(65536);
        assertThrows(IllegalArgumentException.class, builder::open);
    }

    @Test
    void segmentLengthRequiredBeforeIsReplaced() throws IOException
    {
        builder.segmentLength(65536);

        settings("segmentLength=131072");

        assertEquals(131072, builder.settings().newSegmentLength());
        assertEquals(0, builder.settings().segmentLength);
    }

    @Test
    void anEmptyFileChangesNothing() throws IOException
    {
        final String before = builder.toString();

        settings("");
        settings("# nothing but a comment\n");

        assertEquals(before, builder.toString());
    }

    @Test
    void trailingSpacesOfAValueAreIgnored() throws IOException
    {
        settings("backend=FILE_CHANNEL \t\r\nwriteWindow=5 ");

        assertEquals(Backend.FILE_CHANNEL, builder.settings().backend);
        assertEquals(5, builder.settings().writeWindow);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "backend=mapped | MAPPED, FILE_CHANNEL, RANDOM_ACCESS_FILE",
        "backend= | MAPPED, FILE_CHANNEL, RANDOM_ACCESS_FILE",
        "segmentLength=65537 | a power of two from 65536 to 1073741824",
        "segmentLength=32768 | a power of two from 65536 to 1073741824",
        "segmentLength=2147483648 | a power of two from 65536 to 1073741824",
        "segmentLength=64 MiB | a power of two from 65536 to 1073741824",
        "writeWindow=-1 | from 0 to 67108864",
        "writeWindow=67108865 | from 0 to 67108864",
        "force=always | manual, everyRecord, or an interval",
        "force=every 5 | manual, everyRecord, or an interval",
        "force=every -5 ms | manual, everyRecord, or an interval",
        "force=every 86401 s | manual, everyRecord, or an interval",
        "force=every 999999999999 s | manual, everyRecord, or an interval",
        "recycleSegments=yes | true or false",
        "recycleSegments=TRUE | true or false" })
    void aBadValueIsRejectedWithWhatIsAllowed(final String line, final String allowed) throws IOException
    {
        final String message = refused("writeWindow=7\nbackend=FILE_CHANNEL\n".replaceFirst(
            "(?m)^" + line.replaceFirst("=.*", "") + "=.*\n", "") + line);

        assertTrue(message.contains("file=" + file), message);
        assertTrue(message.contains("key=" + line.substring(0, line.indexOf('='))), message);
        assertTrue(message.contains(allowed), message);
    }

    @ParameterizedTest
    @ValueSource(strings = { "Backend=MAPPED", "=MAPPED", "maxRecordLength=5", "backend.=MAPPED", "MAPPED" })
    void unknownKeyIsRejectedWithTheKnownOnes(final String line) throws IOException
    {
        final String message = refused(ALL + line);

        assertTrue(message.contains("file=" + file), message);
        assertTrue(message.contains("[backend, force, recycleSegments, segmentLength, writeWindow]"), message);
    }

    @Test
    void lastValueOfAKeyWins() throws IOException
    {
        settings(ALL + "backend=FILE_CHANNEL");

        assertEquals(Backend.FILE_CHANNEL, builder.settings().backend);
    }

    @Test
    void nonSettingsFileIsRejected() throws IOException
    {
        assertTrue(refusal().contains("no such settings file, or not a regular file: file=" + file));

        Files.createDirectory(file);
        assertTrue(refusal().contains("not a regular file: file=" + file));
    }

    @Test
    void pipeIsRejectedWithoutBlocking() throws Exception
    {
        final Process process;
        try
        {
            process = new ProcessBuilder("mkfifo", file.toString()).start();
        }
        catch (final IOException ex)
        {
            assumeTrue(false, "no mkfifo here: " + ex);
            return;
        }
        assumeTrue(0 == process.waitFor(), "no pipe can be made here");

        assertTrue(refusal().contains("not a regular file"));
    }

    @Test
    void aLinkToAFileOfSettingsIsFollowed() throws IOException
    {
        Files.writeString(directory.resolve("target"), "backend=FILE_CHANNEL");
        Files.createSymbolicLink(file, directory.resolve("target"));

        builder.settings(file);

        assertEquals(Backend.FILE_CHANNEL, builder.settings().backend);
    }

    @Test
    void bytesThatAreNotUtf8AreRejected() throws IOException
    {
        Files.write(file, new byte[]{ 'b', 'a', 'c', 'k', 'e', 'n', 'd', '=', (byte)0xFC });

        assertTrue(refusal().contains("not a properties file in UTF-8: file=" + file));
    }

    @Test
    void theLengthIsBounded() throws IOException
    {
        final String most = "writeWindow=7\n#" + "x".repeat(SettingsFile.MAX_LENGTH - 15);
        settings(most);
        assertEquals(7, builder.settings().writeWindow);

        assertTrue(refused(most + "x").contains("file=" + file));
        assertTrue(refusal().contains("too long: maxLength=65536"));
    }

    @Test
    void messagesShowLittleOfTheFile() throws IOException
    {
        final String message = refused("backend=\\u001B[31m" + "x".repeat(10_000));

        assertTrue(message.length() < 300, message);
        assertTrue(message.contains("\"?[31mxxx"), message);
    }

    @Tag("slow")
    @Test
    void fileIsAppliedOrRejectedAsAWhole() throws IOException
    {
        final long seed = 1;
        final Random random = new Random(seed);
        for (int i = 0; i < 3000; i++)
        {
            final byte[] content = 0 == random.nextInt(2) ? pieces(random) : mutated(random);
            Files.write(file, content);
            final String before = builder.toString();
            try
            {
                builder.settings(file);
            }
            catch (final IllegalArgumentException ex)
            {
                final String message = ex.getMessage() + ", seed=" + seed + ", i=" + i;
                assertTrue(ex.getMessage().contains("file=" + file), message);
                assertEquals(before, builder.toString(), message);
            }
            catch (final RuntimeException ex)
            {
                throw new AssertionError("seed=" + seed + ", i=" + i, ex);
            }
        }
    }

    private static byte[] pieces(final Random random)
    {
        final StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--)
        {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }

        // A lone surrogate becomes a question mark here.
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] mutated(final Random random)
    {
        final byte[] content = ALL.getBytes(StandardCharsets.UTF_8);
        for (int i = 1 + random.nextInt(3); i > 0; i--)
        {
            content[random.nextInt(content.length)] = (byte)random.nextInt();
        }

        return content;
    }

    private void settings(final String text) throws IOException
    {
        Files.writeString(file, text);
        builder.settings(file);
    }

    private String refused(final String text) throws IOException
    {
        Files.writeString(file, text);
        return refusal();
    }

    private String refusal()
    {
        final String before = builder.toString();
        final String message =
            assertThrows(IllegalArgumentException.class, () -> builder.settings(file)).getMessage();
        assertEquals(before, builder.toString());
        return message;
    }
}
