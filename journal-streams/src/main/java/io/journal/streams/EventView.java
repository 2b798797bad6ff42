// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** An event in the store. Valid during the call that it was passed to. */
public interface EventView
{
    /** {@return the event's position} */
    long position();

    /** {@return when it was appended, by the writer's clock, in microseconds; never before an earlier event} */
    Instant time();

    /** {@return the event's type} */
    String type();

    /** {@return the event's tags, without that of its stream} */
    Set<String> tags();

    /** {@return the event's id, if it has one} */
    @Nullable
    UUID id();

    /** {@return the key of the stream that the event belongs to, if it was appended to one} */
    @Nullable
    String stream();

    /** {@return the event's version in its stream, from 1; 0 if it belongs to none} */
    long version();

    /** {@return the buffer that holds the event's data, from {@link #offset()} on} */
    DirectBuffer buffer();

    /** {@return where the data begins in the buffer} */
    int offset();

    /** {@return the length of the data in bytes} */
    int length();

    /** {@return a copy of the data} */
    byte[] data();

    /** {@return a copy of the metadata} */
    byte[] metadata();

    /** {@return a copy of the event as it was appended} */
    default Event copy()
    {
        return new Event(id(), type(), tags(), data(), metadata());
    }
}
