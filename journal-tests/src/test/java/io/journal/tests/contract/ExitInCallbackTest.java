// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.faults.FaultedWriter;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A callback ends the process, while a shutdown hook closes the journal: neither waits for the other. */
@Tag("slow")
class ExitInCallbackTest extends JournalFixture
{
    private static final int EXIT_CODE = 3;

    private enum Place
    {
        ERROR_HANDLER, LISTENER, LAST_CALL_OF_LISTENER, FOLLOWER, LOOKUP_OF_FOLLOWER
    }

    @EachBackend(and = Place.class)
    void callbackMayEndTheProcess(final Backend backend, final Place place)
    {
        try (ChildJvm child =
            new ChildJvm(temp, List.of(), ExitInCallbackTest.class, directory(), backend, place))
        {
            assertEquals(EXIT_CODE, child.awaitEnd(), child::toString);
            assertEquals(0, child.highest("closed"), child::toString);
        }
    }

    /**
     * @param args directory, backend, place.
     */
    public static void main(final String[] args) throws Exception
    {
        FaultedWriter.halt(60);
        final Path path = Path.of(args[0]);
        final Place place = Place.valueOf(args[2]);
        final AutoCloseable[] opened = new AutoCloseable[2];
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
        {
            CloseHelper.closeAll(opened);
            FaultedWriter.say("closed", 0);
        }));
        final Journal journal = Journal.builder(path).segmentLength(64 * 1024).backend(Backend.valueOf(args[1]))
            .force(Place.LAST_CALL_OF_LISTENER == place ? ForcePolicy.manual() : ForcePolicy.every(Duration.ZERO))
            .errorHandler((error) -> System.exit(EXIT_CODE)).open();
        opened[0] = journal;
        if (Place.ERROR_HANDLER == place)
        {
            journal.onForced((sequence) ->
            {
                throw new IllegalStateException("on purpose");
            });
        }
        else if (place.name().endsWith("LISTENER"))
        {
            journal.onForced((sequence) -> System.exit(EXIT_CODE));
        }
        appendNumbered(journal, 1, 10);
        if (Place.LAST_CALL_OF_LISTENER == place)
        {
            journal.close();
        }
        else if (place.name().endsWith("FOLLOWER"))
        {
            journal.force();
            final ReadOnlyJournal follower = Journal.openReadOnly(path);
            opened[1] = follower;
            if (Place.FOLLOWER == place)
            {
                follower.openReader().poll((buffer, offset, length, header) -> System.exit(EXIT_CODE), 1);
            }
            follower.get(1, (buffer, offset, length, header) -> System.exit(EXIT_CODE));
        }
        new CountDownLatch(1).await();
    }
}
