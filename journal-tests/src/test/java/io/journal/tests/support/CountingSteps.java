// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/** Counts opens and reads; reads through a mapping are not counted. */
public final class CountingSteps implements StepStore.AllSteps
{
    public final AtomicLong opens = new AtomicLong();
    public final AtomicLong bytesRead = new AtomicLong();

    @Override
    public void beforeOpen(final String name)
    {
        opens.incrementAndGet();
    }

    @Override
    public void afterRead(final String name, final long offset, final ByteBuffer bytes)
    {
        bytesRead.addAndGet(bytes.remaining());
    }

    public void reset()
    {
        opens.set(0);
        bytesRead.set(0);
    }
}
