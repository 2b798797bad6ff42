package io.journal.examples.bank;

import java.nio.file.Path;

/**
 * The files of a bank.
 *
 * @param path directory of them all.
 */
public record BankFiles(Path path)
{
    /** {@return directory of the journal} */
    public Path journal()
    {
        return path.resolve("journal");
    }

    /** {@return file of the read model in SQLite} */
    public Path ledger()
    {
        return path.resolve("ledger.db");
    }

    /** {@return file of the read model in another process} */
    public Path turnover()
    {
        return path.resolve("turnover.json");
    }

    /** {@return file that notes how long starts took} */
    public Path starts()
    {
        return path.resolve("starts.csv");
    }
}
