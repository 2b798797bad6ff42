// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.journal.JournalBuilder;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.BootstrapSetup;
import org.apache.pekko.testkit.javadsl.TestKit;

/** Actor systems whose plugins are these. */
final class Systems
{
    private Systems()
    {
    }

    /** As an application configures the plugins. */
    static Config config(final Path directory)
    {
        return ConfigFactory.parseString(
            "pekko.persistence.journal.plugin = \"journal.pekko.journal\"\n" +
                "pekko.persistence.snapshot-store.plugin = \"journal.pekko.snapshot-store\"\n" +
                "journal.pekko.directory = \"" + directory + "\"\n" +
                "pekko.test.single-expect-default = 60 s\n" +
                "pekko.loglevel = WARNING\n" +
                "pekko.stdout-loglevel = WARNING")
            .withFallback(ConfigFactory.load());
    }

    static ActorSystem create(final Config config, final Consumer<JournalBuilder> options)
    {
        return ActorSystem.create("test", BootstrapSetup.create(config).and(new JournalSetup(options)));
    }

    static ActorSystem create(final Path directory)
    {
        return ActorSystem.create("test", config(directory));
    }

    /** Also closes the journal. */
    static void terminate(final ActorSystem system)
    {
        TestKit.shutdownActorSystem(system, true);
    }

    static <T> T get(final CompletionStage<T> stage)
    {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }
}
