// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.util.Objects;
import java.util.function.Consumer;

import io.journal.JournalBuilder;
import org.apache.pekko.actor.setup.Setup;

/**
 * Sets options of the journal that are not in the configuration, such as its backend or error handler:
 * {@code ActorSystem.create(name, BootstrapSetup.create(config).and(new JournalSetup(options)))}.
 */
public final class JournalSetup extends Setup
{
    private final Consumer<JournalBuilder> options;

    /**
     * A setup for one actor system.
     *
     * @param options called before the journal is opened. Any {@link io.journal.ForcePolicy} is right but
     *                {@code everyRecord}, and there must be no retention.
     */
    public JournalSetup(final Consumer<JournalBuilder> options)
    {
        this.options = Objects.requireNonNull(options, "options");
    }

    void apply(final JournalBuilder builder)
    {
        options.accept(builder);
    }
}
