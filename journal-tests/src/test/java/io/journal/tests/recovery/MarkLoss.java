// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.util.Random;
import java.util.function.Consumer;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Forced;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.WATERMARK_LENGTH;

/** Kinds of loss of the durable watermark in {@code journal.control}. */
public enum MarkLoss
{
    ZEROS(JournalDirectory::loseForced),
    GARBAGE((directory) ->
    {
        final byte[] garbage = new byte[WATERMARK_LENGTH];
        new Random(5).nextBytes(garbage);
        directory.overwrite(CONTROL, WATERMARKS[0], garbage);
        directory.overwrite(CONTROL, WATERMARKS[1], garbage);
    }),
    BOTH_SLOTS_DAMAGED((directory) ->
    {
        directory.flip(CONTROL, WATERMARKS[0] + 16L, 6);
        directory.flip(CONTROL, WATERMARKS[1] + 16L, 6);
    }),
    OF_ANOTHER_TERM((directory) ->
    {
        final Forced forced = directory.forced();
        directory.writeForced(forced.term() + 8, forced.position(), forced.nextSequence());
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
}
