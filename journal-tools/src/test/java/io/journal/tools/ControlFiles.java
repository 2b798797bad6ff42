// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

import io.journal.internal.control.ControlFile;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.Term;
import io.journal.store.Backend;

/** Changes the control state of a closed journal. */
final class ControlFiles
{
    private ControlFiles()
    {
    }

    static void change(final Path journal, final UnaryOperator<ControlState> change) throws IOException
    {
        try (ControlFile file = ControlFile.open(Backend.FILE_CHANNEL.store(journal)))
        {
            file.replace(change.apply(file.state()), true);
        }
    }

    static void saveCursor(final Path journal, final String name, final long sequence) throws IOException
    {
        change(journal, (state) -> state.withCursors(
            (cursors) -> cursors.put(name, new ControlState.Saved(sequence, Term.NONE))));
    }
}
