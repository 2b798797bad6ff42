// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import com.typesafe.config.Config;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.persistence.query.ReadJournalProvider;

/** Makes the queries of an actor system. */
public final class JournalQueriesProvider implements ReadJournalProvider
{
    private final JournalQueries queries;

    /**
     * Called by Pekko.
     *
     * @param system that the queries are for.
     * @param config of the plugin.
     */
    public JournalQueriesProvider(final ExtendedActorSystem system, final Config config)
    {
        queries = new JournalQueries(system, config);
    }

    @Override
    public ScalaJournalQueries scaladslReadJournal()
    {
        return new ScalaJournalQueries(queries);
    }

    @Override
    public JournalQueries javadslReadJournal()
    {
        return queries;
    }
}
