// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.apache.pekko.persistence.CapabilityFlag;
import org.apache.pekko.persistence.japi.journal.JavaJournalPerfSpec;
import org.apache.pekko.persistence.japi.journal.JavaJournalSpec;
import org.apache.pekko.persistence.japi.snapshot.JavaSnapshotStoreSpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.scalatest.Args;
import org.scalatest.Reporter;
import org.scalatest.Suite;
import org.scalatest.events.ExceptionalEvent;
import org.scalatest.events.InfoProvided;
import org.scalatest.events.RecordableEvent;
import org.scalatest.events.TestFailed;
import org.scalatest.events.TestIgnored;
import org.scalatest.events.TestPending;
import org.scalatest.events.TestSucceeded;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/** The suites that Pekko has for plugins, with all their optional parts: each of their tests is a test here. */
class TckTest
{
    @TempDir
    private Path directory;

    @TestFactory
    List<DynamicTest> journal()
    {
        return run(17, new JavaJournalSpec(Systems.config(directory))
        {
            @Override
            public CapabilityFlag supportsRejectingNonSerializableObjects()
            {
                return CapabilityFlag.on();
            }

            @Override
            public CapabilityFlag supportsMetadata()
            {
                return CapabilityFlag.on();
            }
        });
    }

    @TestFactory
    @Tag("slow")
    List<DynamicTest> journalPerformance()
    {
        return run(20, new JavaJournalPerfSpec(Systems.config(directory))
        {
            @Override
            public CapabilityFlag supportsRejectingNonSerializableObjects()
            {
                return CapabilityFlag.on();
            }

            @Override
            public CapabilityFlag supportsMetadata()
            {
                return CapabilityFlag.on();
            }

            @Override
            public int eventsCount()
            {
                // By default the suite has 10,000, to measure; here it is run.
                return Integer.getInteger("journal.test.events", 2_000);
            }

            @Override
            public int measurementIterations()
            {
                return Integer.getInteger("journal.test.iterations", 2);
            }

            @Override
            public long awaitDurationMillis()
            {
                // An assertion that something ends, not how fast.
                return 120_000;
            }
        });
    }

    @TestFactory
    List<DynamicTest> snapshotStore()
    {
        return run(13, new JavaSnapshotStoreSpec(Systems.config(directory))
        {
            @Override
            public CapabilityFlag supportsMetadata()
            {
                return CapabilityFlag.on();
            }
        });
    }

    /** Runs a suite of ScalaTest: the name of each test, with its result. */
    private static List<DynamicTest> run(final int count, final Suite suite)
    {
        final List<DynamicTest> tests = Collections.synchronizedList(new ArrayList<>());
        final Reporter reporter = (event) ->
        {
            if (event instanceof TestSucceeded)
            {
                final TestSucceeded succeeded = (TestSucceeded)event;
                CollectionConverters.asJava(succeeded.recordedEvents()).forEach(TckTest::print);
                tests.add(dynamicTest(succeeded.testName(), () ->
                {
                }));
            }
            else if (event instanceof TestFailed)
            {
                final TestFailed failed = (TestFailed)event;
                tests.add(dynamicTest(failed.testName(), () -> fail(failed.message(), cause(failed))));
            }
            else if (event instanceof ExceptionalEvent || event instanceof TestIgnored || event instanceof TestPending)
            {
                tests.add(dynamicTest("run of " + suite.suiteName(), () -> fail(event.toString())));
            }
        };
        suite.run(Option.empty(), Args.apply(
            reporter, Args.apply$default$2(), Args.apply$default$3(), Args.apply$default$4(),
            Args.apply$default$5(), Args.apply$default$6(), Args.apply$default$7(), Args.apply$default$8(),
            Args.apply$default$9(), Args.apply$default$10())).waitUntilCompleted();
        final int found = tests.size();
        tests.add(dynamicTest("number of tests", () -> assertEquals(count, found)));

        return tests;
    }

    private static void print(final RecordableEvent event)
    {
        // The durations of the performance suite.
        if (event instanceof InfoProvided && Boolean.getBoolean("journal.test.print"))
        {
            System.out.println(((InfoProvided)event).message());
        }
    }

    private static @Nullable Throwable cause(final TestFailed failed)
    {
        return failed.throwable().isEmpty() ? null : failed.throwable().get();
    }
}
