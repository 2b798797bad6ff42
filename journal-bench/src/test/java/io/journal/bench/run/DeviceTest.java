// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

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
        assertEquals("[]", Arrays.toString(directory.toFile().list()));
    }
}
