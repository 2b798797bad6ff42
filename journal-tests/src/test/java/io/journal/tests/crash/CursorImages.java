// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.crash;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;

import static io.journal.tests.support.JournalDirectory.CONTROL;

/**
 * Captures the file states that a crash at each step may leave: of a killed process, and of a power loss for {@code
 * journal.control}, whose unforced sectors may be there in part. All other files are assumed durable; other tests cover
 * those.
 */
public final class CursorImages implements StepStore.Steps
{
    private static final int SECTOR_LENGTH = 512;

    private final JournalDirectory directory;
    private final List<Map<String, byte[]>> images = new ArrayList<>();
    private final Set<Long> seen = new HashSet<>();
    private byte[] durable;

    /**
     * Begins with files that are all on the device.
     */
    public CursorImages(final JournalDirectory directory)
    {
        this(directory, directory.content());
    }

    /**
     * Begins with a device that does not hold what memory shows, as after a force that failed.
     */
    CursorImages(final JournalDirectory directory, final Map<String, byte[]> onDevice)
    {
        this.directory = directory;
        durable = onDevice.get(CONTROL);
    }

    public List<Map<String, byte[]>> images()
    {
        return images;
    }

    @Override
    public boolean before(final Step step, final String name)
    {
        final Map<String, byte[]> content = directory.content();
        take(content);
        if (Step.FORCE == step && CONTROL.equals(name))
        {
            durable = content.get(name);
        }

        return true;
    }

    /**
     * Takes the pictures of an end at this moment.
     */
    public void take()
    {
        take(directory.content());
    }

    private void take(final Map<String, byte[]> content)
    {
        add(content);
        final byte[] bytes = content.get(CONTROL);
        for (int split = 0; split <= bytes.length; split += SECTOR_LENGTH)
        {
            if (split == bytes.length || !Arrays.equals(
                bytes, split, split + SECTOR_LENGTH, durable, split, split + SECTOR_LENGTH))
            {
                addWith(content, mix(bytes, durable, split));
                addWith(content, mix(durable, bytes, split));
            }
        }
    }

    private void addWith(final Map<String, byte[]> content, final byte[] bytes)
    {
        final Map<String, byte[]> image = new TreeMap<>(content);
        image.put(CONTROL, bytes);
        add(image);
    }

    private void add(final Map<String, byte[]> image)
    {
        // Not CRC32C: blocks end in their own, which makes that of any block that is whole the same.
        final CRC32 hash = new CRC32();
        image.forEach((name, bytes) ->
        {
            hash.update(name.getBytes(StandardCharsets.UTF_8));
            hash.update(bytes);
        });
        if (seen.add(hash.getValue()))
        {
            images.add(image);
        }
    }

    private static byte[] mix(final byte[] first, final byte[] second, final int split)
    {
        final byte[] mixed = second.clone();
        System.arraycopy(first, 0, mixed, 0, split);
        return mixed;
    }
}
