// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank;

import java.nio.file.Path;

/**
 * The files of a bank in a directory: its journal, and the read models that are stored.
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

    /** {@return file of the read model that another process builds} */
    public Path turnover()
    {
        return path.resolve("turnover.json");
    }
}
