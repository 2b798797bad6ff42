// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Captures the records of a logger until closed; they do not reach the console. */
public final class LogRecords implements AutoCloseable
{
    // Hold a reference, because the log manager has only a weak one.
    private final Logger logger;
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    public LogRecords(final String name)
    {
        logger = Logger.getLogger(name);
        logger.setFilter((record) -> !records.add(record));
    }

    public List<String> messages()
    {
        return records.stream().map(LogRecord::getMessage).toList();
    }

    @Override
    public void close()
    {
        logger.setFilter(null);
    }
}
