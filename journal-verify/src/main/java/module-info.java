// SPDX-License-Identifier: Apache-2.0
/**
 * Verification, repair and salvage of journals.
 */
module io.journal.verify
{
    requires transitive io.journal;

    exports io.journal.verify;
}
