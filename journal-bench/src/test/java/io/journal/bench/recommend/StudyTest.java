package io.journal.bench.recommend;

import java.util.List;

import io.journal.bench.run.Device;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StudyTest
{
    private static final long MEMORY = 8_000_000_000L;

    @Test
    void warnsOfARateBeyondTheDisk()
    {
        final double megabyte = 1e6;
        final Requirement need = new Requirement(Requirement.Durability.PROCESS, 1000, 100_000);
        final Study study = new Study(null, need, null, 7, 100);

        assertEquals(0, study.memory(new Device(200 * megabyte, 0, 100), MEMORY).size());
        assertTrue(study.memory(new Device(199 * megabyte, 0, 100), MEMORY).get(0).contains(
            "100,000 records/s of 1,000 B are 100 MB/s, and this disk writes 199 MB/s"), study.toString());
        assertEquals(
            0,
            new Study(null, new Requirement(Requirement.Durability.PROCESS, 1000, Requirement.UNKNOWN_RATE), null, 7, 9)
                .memory(new Device(1, 1, 1), MEMORY).size());
    }

    @Test
    void saysWhenTheJournalExceedsTheMemory()
    {
        final Requirement need = new Requirement(Requirement.Durability.POWER, 1000, 1000);

        assertEquals(
            List.of(
                "At this rate 2.2 hours fill the memory of 8 GB. Older records are replayed from the disk, at 300 " +
                    "MB/s or less with any backend."),
            new Study(null, need, null, 7, 100).memory(new Device(1e9, 3e8, 100), MEMORY));
    }
}
