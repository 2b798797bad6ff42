// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Captures the messages that the library logs until closed, instead of printing them. */
public final class LogRecords extends Handler implements AutoCloseable
{
    // Held: the log manager would forget it.
    private final Logger logger = Logger.getLogger("io.journal.Journal");
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    public LogRecords()
    {
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    public List<String> messages()
    {
        return records.stream().map(LogRecord::getMessage).toList();
    }

    @Override
    public void publish(final LogRecord record)
    {
        records.add(record);
    }

    @Override
    public void flush()
    {
    }

    @Override
    public void close()
    {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
