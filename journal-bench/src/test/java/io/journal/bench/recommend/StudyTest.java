package io.journal.bench.recommend;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StudyTest
{
    @Test
    void usualDiskTriesAllCandidates()
    {
        assertEquals(new Study.Stage(7, 3), Study.Stage.of(7, 3, 80, 1.7));
        assertEquals(new Study.Stage(7, 1), Study.Stage.of(7, 1, 30, 1.4));
    }

    @Test
    void slowDiskTriesFewerCandidates()
    {
        assertEquals(new Study.Stage(7, 1), Study.Stage.of(7, 3, 80, 5));
        assertEquals(new Study.Stage(3, 1), Study.Stage.of(7, 3, 80, 12));
        assertEquals(new Study.Stage(2, 1), Study.Stage.of(7, 1, 30, 8));
    }

    @Test
    void nothingIsComparedIfThereIsNoTimeForTwo()
    {
        assertEquals(new Study.Stage(1, 0), Study.Stage.of(7, 1, 30, 14));
    }

    @Test
    void warnsOfARateBeyondTheDisk()
    {
        final double megabyte = 1e6;
        final Requirement need = new Requirement(DurabilityRequirement.PROCESS, 1000, 100_000);
        final Study study = new Study(null, need, null, 7, 100);

        assertEquals(0, study.memory(200 * megabyte).size());
        assertTrue(study.memory(199 * megabyte).get(0).contains(
            "100,000 records/s of 1,000 B are 100 MB/s, and this disk writes 199 MB/s"), study.toString());
        assertEquals(
            0,
            new Study(null, new Requirement(DurabilityRequirement.PROCESS, 1000, Requirement.UNKNOWN_RATE), null, 7, 9)
                .memory(1).size());
    }
}
