// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DeviceTest
{
    private static final Device DEVICE = new Device(100, 1000, 80);

    @TempDir
    private Path directory;

    @Test
    void ratesAboveTheDeviceAreNamed()
    {
        assertEquals("writeBytesPerSecond", DEVICE.exceeded(
            Map.of("writeBytesPerSecond", "500", "readBytesPerSecond", "900.5", "elapsedNs", "5000")));
        assertEquals("readBytesPerSecond", DEVICE.exceeded(Map.of("readBytesPerSecond", "2000")));
    }

    @Test
    void ratesWithAnFsyncAreNotThoseOfThePageCache()
    {
        assertEquals("", DEVICE.exceeded(Map.of("durableBytesPerSecond", "500", "forcedBytesPerSecond", "500")));
        assertEquals("appendedBytesPerSecond", DEVICE.exceeded(
            Map.of("appendedBytesPerSecond", "500", "forcedBytesPerSecond", "400")));
    }

    @Test
    void deviceWithoutAReadRateMarksNoReads()
    {
        assertEquals("", new Device(100, 0, 80).exceeded(Map.of("readBytesPerSecond", "1e12")));
    }

    @Test
    void warnsOfFsyncsFasterThanAnyDevice()
    {
        assertEquals("", DEVICE.warning());
        assertTrue(new Device(100, 0, 1.5).warning().contains("1.5 us"));
    }

    @Test
    void theProbeMeasuresAndLeavesNothing() throws IOException
    {
        final Device device = Device.probe(directory, 1);

        assertTrue(device.writeBytesPerSecond() > 0, device.toString());
        assertTrue(device.forceUs() > 0, device.toString());
        assertTrue(device.describe().contains(" MB/s"), device.describe());
        try (Stream<Path> files = Files.list(directory))
        {
            assertEquals(0, files.count());
        }
    }
}
