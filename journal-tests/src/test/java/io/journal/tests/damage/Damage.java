// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.util.function.BiConsumer;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;

/** Kinds of frame damage. */
public enum Damage
{
    BODY((directory, frame) -> directory.flip(frame.file(), frame.offset() + 24, 3)),
    LENGTH((directory, frame) -> directory.flip(frame.file(), frame.offset(), 4)),
    HUGE_LENGTH((directory, frame) -> directory.overwrite(frame.file(), frame.offset(), bytes(-1, -1, -1, 127))),
    SMALLEST_LENGTH((directory, frame) -> directory.overwrite(frame.file(), frame.offset(), bytes(0, 0, 0, 128))),
    CHECKSUM((directory, frame) -> directory.flip(frame.file(), frame.offset() + 7, 7)),
    TAG((directory, frame) -> directory.flip(frame.file(), frame.offset() + 16, 0)),
    ZEROED_LENGTH((directory, frame) -> directory.zero(frame.file(), frame.offset(), frame.offset() + 4)),
    ZEROED((directory, frame) -> directory.zero(frame.file(), frame.offset(), frame.end())),
    MOVED((directory, frame) -> directory.overwrite(
        frame.file(), frame.offset(), directory.read(frame.file(), frame.offset() + 8, frame.end())));

    private final BiConsumer<JournalDirectory, Frame> spoiler;

    Damage(final BiConsumer<JournalDirectory, Frame> spoiler)
    {
        this.spoiler = spoiler;
    }

    public void apply(final JournalDirectory directory, final Frame frame)
    {
        spoiler.accept(directory, frame);
    }

    private static byte[] bytes(final int... values)
    {
        final byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++)
        {
            bytes[i] = (byte)values[i];
        }

        return bytes;
    }
}
