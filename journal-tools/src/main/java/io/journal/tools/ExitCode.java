// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

/**
 * Exit codes, for scripts. Documented in the help of the command.
 */
final class ExitCode
{
    static final int OK = 0;
    static final int DAMAGED = 1;
    static final int USAGE = 2;
    static final int NO_JOURNAL = 3;
    static final int LOCKED = 4;
    static final int FAILED = 5;
    static final int DEFECT = 70;

    private ExitCode()
    {
    }
}
