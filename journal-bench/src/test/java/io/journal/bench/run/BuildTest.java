package io.journal.bench.run;

import java.util.Properties;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class BuildTest
{
    private final Properties properties = new Properties();

    @Test
    void theCommitIsNamed()
    {
        properties.setProperty("git.commit.id", "0123abcd");
        properties.setProperty("git.dirty", "false");

        assertEquals("0123abcd", Machine.commit(properties));
    }

    @Test
    void uncommittedChangesAreReported()
    {
        properties.setProperty("git.commit.id", "0123abcd");
        properties.setProperty("git.dirty", "true");

        assertEquals("0123abcd, with uncommitted changes", Machine.commit(properties));
    }

    @Test
    void outsideACheckoutItIsUnknown()
    {
        assertEquals("unknown: not built in a git checkout", Machine.commit(properties));
    }
}
