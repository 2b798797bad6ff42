// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import io.journal.bench.run.Device;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StudyTest
{
    @Test
    void warnsOfARateBeyondTheDisk()
    {
        final double megabyte = 1e6;
        final Study study =
            new Study(null, new Requirement(Requirement.Durability.PROCESS, 1000, 100_000), null, 7, 100);
        assertEquals("", study.beyondDisk(new Device(200 * megabyte, 0, 100)));
        assertTrue(study.beyondDisk(new Device(199 * megabyte, 0, 100)).contains(
            "100,000 records/s of 1,000 B are 100 MB/s, and this disk writes 199 MB/s"), study.toString());
        final Requirement unknown = new Requirement(Requirement.Durability.PROCESS, 1000, Requirement.UNKNOWN_RATE);
        assertEquals("", new Study(null, unknown, null, 7, 9).beyondDisk(new Device(1, 1, 1)));
    }
}
