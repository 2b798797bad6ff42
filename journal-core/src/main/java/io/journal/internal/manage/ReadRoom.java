package io.journal.internal.manage;

import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;

/**
 * What changes of history use to read the journal, and to quiesce its readers.
 */
public record ReadRoom(ReadSource source, ReaderGate readers)
{
}
