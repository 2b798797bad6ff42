package io.journal.examples.bank.codec;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import io.journal.Journal;
import io.journal.examples.bank.command.Recovery;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Command;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.journal.LocalJournal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;

class OldJournalTest
{
    private static final String RESOURCE = "bank-journal-version-0.zip";

    @TempDir
    Path tempDir;

    @Test
    void journalOfTheFirstVersionIsReadByThisOne() throws Exception
    {
        unzip(tempDir);

        try (Journal journal = Journal.open(tempDir))
        {
            assertStateOfOldJournal(journal);
        }
    }

    @Test
    void generatorWritesWhatIsAmongTheResources() throws Exception
    {
        OldJournal.main(new String[]{ tempDir.toString() });

        try (Journal journal = Journal.open(tempDir))
        {
            assertStateOfOldJournal(journal);
        }
    }

    private static void assertStateOfOldJournal(final Journal journal) throws Exception
    {
        final Recovery state = Recovery.of(new LocalJournal(journal), () -> 0);

        assertEquals(4, state.sequence());
        assertEquals(new Account(1, "Account 1", 0, 70_00, 3), state.bank().accounts().get(1));
        assertEquals(new Account(2, "Account 2", 0, 30_00, 2), state.bank().accounts().get(2));
        assertEquals(
            4, state.bank().executedSequence(CommandRequest.of(new UUID(7, 4), new Command.Transfer(1, 2, 30_00))));
    }

    private static void unzip(final Path directory) throws IOException
    {
        try (InputStream resource = OldJournalTest.class.getResourceAsStream(RESOURCE);
            ZipInputStream zip = new ZipInputStream(resource))
        {
            for (ZipEntry entry = zip.getNextEntry(); null != entry; entry = zip.getNextEntry())
            {
                Files.copy(zip, directory.resolve(Path.of(entry.getName()).getFileName()));
            }
        }
    }
}
