// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

import io.journal.store.Backend;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A path whose type cannot be determined is not absent. Symbolic links that form a cycle stand for any such path. */
class FileTypeTest
{
    @TempDir
    Path temp;

    private Path unknowable;

    @BeforeEach
    void link() throws IOException
    {
        unknowable = temp.resolve("to");
        try
        {
            Files.createSymbolicLink(unknowable, temp.resolve("fro"));
            Files.createSymbolicLink(temp.resolve("fro"), unknowable);
        }
        catch (final UnsupportedOperationException ex)
        {
            assumeTrue(false, "no symbolic links here: " + ex);
        }
    }

    @Test
    void eachKindOfFileIsNamed() throws IOException
    {
        Files.createFile(temp.resolve("file"));
        Files.createSymbolicLink(temp.resolve("dangling"), temp.resolve("nothing"));

        assertEquals(FileType.DIRECTORY, FileType.of(temp));
        assertEquals(FileType.REGULAR_FILE, FileType.of(temp.resolve("file")));
        assertEquals(FileType.ABSENT, FileType.of(temp.resolve("nothing")));
        assertEquals(FileType.ABSENT, FileType.of(temp.resolve("dangling")));
        assertEquals(FileType.OTHER, FileType.of(temp.resolve("dangling"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void unreadablePathIsNotAbsent()
    {
        assertThrows(IOException.class, () -> FileType.of(unknowable));
        assertThrows(IOException.class, () -> FileType.of(unknowable.resolve("below")));
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void directoryThatCannotBeReadIsNotListedAsEmpty(final Backend backend) throws IOException
    {
        assertEquals(List.of(), backend.store(temp.resolve("nothing")).list());
        assertThrows(IOException.class, () -> backend.store(unknowable).list());
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void directoryThatCannotBeReadIsNotCreated(final Backend backend)
    {
        assertThrows(IOException.class, () -> backend.store(unknowable.resolve("journal")).makeDirectory());
        assertThrows(IOException.class, () -> backend.store(unknowable).child("cursors"));
    }
}
