// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import io.journal.testkit.CrashPoint;

/**
 * A crash point, and the states that an opening may find after it.
 *
 * @param point    the moment.
 * @param expected what was true then.
 * @param place    what was about to happen.
 */
record Moment(CrashPoint point, Expected expected, String place)
{
    /** Whether the step changes the names of files. */
    boolean isOfNames()
    {
        return place.startsWith("DELETE") || place.startsWith("RENAME") || place.startsWith("FORCE_DIRECTORY");
    }
}
