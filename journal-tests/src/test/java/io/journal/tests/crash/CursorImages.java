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

/**
 * Captures the file states that a crash at each step may leave: of a killed process, and of a power loss for cursor
 * files, whose unforced sectors may be there in part and whose unforced names may be missing. All other files are
 * assumed durable; other tests cover those.
 */
public final class CursorImages implements StepStore.Steps
{
    private static final String PREFIX = "cursors/";
    private static final int SECTOR_LENGTH = 512;

    private final JournalDirectory directory;
    private final Map<String, byte[]> durable = new TreeMap<>();
    private final List<Map<String, byte[]>> images = new ArrayList<>();
    private final Set<Long> seen = new HashSet<>();
    private Set<String> durableNames;

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
        durable.putAll(cursorFiles(onDevice));
        durableNames = Set.copyOf(durable.keySet());
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
        if (Step.FORCE == step && name.startsWith(PREFIX))
        {
            durable.put(name, content.get(name));
        }
        if (Step.FORCE_DIRECTORY == step && name.equals(PREFIX))
        {
            durableNames = Set.copyOf(cursorFiles(content).keySet());
        }

        return true;
    }

    @Override
    public boolean beforeRename(final String from, final String to)
    {
        take(directory.content());
        if (durable.containsKey(from))
        {
            durable.put(to, durable.remove(from));
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
        final Map<String, byte[]> present = cursorFiles(content);
        present.forEach((name, bytes) ->
        {
            final byte[] old = durable.getOrDefault(name, new byte[bytes.length]);
            if (!Arrays.equals(old, bytes))
            {
                for (int split = 0; split <= bytes.length; split += SECTOR_LENGTH)
                {
                    addWith(content, name, mix(bytes, old, split));
                    addWith(content, name, mix(old, bytes, split));
                }
            }
        });

        if (!durableNames.equals(present.keySet()))
        {
            final Map<String, byte[]> image = new TreeMap<>(content);
            image.keySet().removeAll(present.keySet());
            durableNames.forEach((name) -> image.put(name, durable.get(name)));
            add(image);
        }
    }

    private void addWith(final Map<String, byte[]> content, final String name, final byte[] bytes)
    {
        final Map<String, byte[]> image = new TreeMap<>(content);
        image.put(name, bytes);
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

    private static Map<String, byte[]> cursorFiles(final Map<String, byte[]> content)
    {
        final Map<String, byte[]> files = new TreeMap<>(content);
        files.keySet().removeIf((name) -> !name.startsWith(PREFIX));
        return files;
    }
}
