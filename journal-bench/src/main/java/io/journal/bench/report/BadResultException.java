package io.journal.bench.report;

import java.nio.file.Path;

/**
 * A file is not a valid result file.
 */
final class BadResultException extends RuntimeException
{
    private static final long serialVersionUID = 1;

    BadResultException(final Path directory, final String what)
    {
        super(directory + ": " + what);
    }

    BadResultException(final Path file, final int line, final String what)
    {
        super(file + ", line " + line + ": " + what);
    }
}
