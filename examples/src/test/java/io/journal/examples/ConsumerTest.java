// SPDX-License-Identifier: Apache-2.0
package io.journal.examples;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

class ConsumerTest
{
    @TempDir
    Path tempDir;

    @Test
    void eachRunConsumesWhatNoneHasConsumed()
    {
        assertEquals(List.of("1: apples"), appendAndConsume("apples"));
        assertEquals(List.of("2: pears"), appendAndConsume("pears"));
    }

    private List<String> appendAndConsume(final String order)
    {
        final List<String> consumed = new ArrayList<>();
        try (Journal journal = CrashImage.settings(tempDir).open())
        {
            journal.appender().append(order.getBytes(UTF_8));
            Consumer.consume(journal, (buffer, offset, length, header) -> consumed.add(
                header.sequence() + ": " + buffer.getStringWithoutLengthUtf8(offset, length)));
        }
        return consumed;
    }
}
