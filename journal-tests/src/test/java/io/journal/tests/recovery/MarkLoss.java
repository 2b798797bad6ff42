package io.journal.tests.recovery;

import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Forced;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.MARK;

/** Kinds of loss of the mark file. */
public enum MarkLoss
{
    MISSING((directory) -> directory.delete(MARK)),
    GARBAGE((directory) -> directory.put(MARK, garbage())),
    ZEROS((directory) -> directory.put(MARK, new byte[4 * BLOCK_LENGTH])),
    EMPTY((directory) -> directory.put(MARK, new byte[0])),
    TOO_SHORT((directory) -> directory.cut(MARK, 4 * BLOCK_LENGTH - 1)),
    TOO_LONG((directory) -> directory.overwrite(MARK, 4 * BLOCK_LENGTH, (byte)0)),
    OF_ANOTHER_JOURNAL((directory) -> directory.adopt(MARK, new UUID(7, 8))),
    OF_ANOTHER_KIND((directory) -> directory.overwrite(MARK, 0, (byte)'X')),
    HEADER_DAMAGED((directory) -> directory.flip(MARK, 777, 7)),
    BOTH_SLOTS_DAMAGED((directory) ->
    {
        directory.flip(MARK, 4096 + 16, 6);
        directory.flip(MARK, 4608 + 16, 6);
    }),
    OF_A_STALE_EPOCH((directory) ->
    {
        final Forced forced = directory.forced();
        directory.writeForced(forced.epoch() + 7, forced.position(), forced.nextSequence());
    });

    private final Consumer<JournalDirectory> loser;

    MarkLoss(final Consumer<JournalDirectory> loser)
    {
        this.loser = loser;
    }

    public void apply(final JournalDirectory directory)
    {
        loser.accept(directory);
    }

    private static byte[] garbage()
    {
        final byte[] garbage = new byte[4 * BLOCK_LENGTH];
        new Random(5).nextBytes(garbage);
        return garbage;
    }
}
