// SPDX-License-Identifier: Apache-2.0
/**
 * Storage that fails on demand, for tests of a journal and of applications that use one.
 */
module io.journal.testkit
{
    requires transitive io.journal;

    exports io.journal.testkit;
}
