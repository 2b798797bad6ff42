// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.nio.file.Path;

import io.journal.JournalException;

/** An index file is not what was written. It is replaced, and never fails an operation. */
final class IndexDamagedException extends JournalException
{
    private static final long serialVersionUID = 1L;

    final transient Path path;
    final String reason;

    IndexDamagedException(final Path file, final String reason)
    {
        super("index file damaged, its events are indexed again: file=" + file + ", reason=" + reason);
        path = file;
        this.reason = reason;
    }
}
