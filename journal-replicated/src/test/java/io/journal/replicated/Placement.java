// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Where the members of a cluster run.
 *
 * @param addresses   of the members, separated by commas.
 * @param directories of the members.
 * @param prefixes    what stands before the command that runs a member.
 */
record Placement(String addresses, List<Path> directories, List<List<String>> prefixes)
{
    static final int MEMBERS = 3;

    /** Places all members on loopback, in subdirectories. */
    static Placement loopback(final Path directory)
    {
        return of(Ports.members(MEMBERS), directory, Collections.nCopies(MEMBERS, List.of()));
    }

    static Placement of(final String addresses, final Path directory, final List<List<String>> prefixes)
    {
        final List<Path> directories = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++)
        {
            directories.add(directory.resolve("member-" + i));
        }
        return new Placement(addresses, directories, prefixes);
    }

    /** The same placement, but with another directory for one member. */
    Placement with(final int memberId, final Path directory)
    {
        final List<Path> others = new ArrayList<>(directories);
        others.set(memberId, directory);
        return new Placement(addresses, others, prefixes);
    }
}
