// SPDX-License-Identifier: Apache-2.0
package io.journal.internal;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.ForcePolicy;
import io.journal.internal.format.Layout;
import io.journal.store.Backend;

/**
 * {@link Settings} in a properties file: settings that depend on the machine and its disk, and so belong neither to the
 * application's code nor to the journal.
 */
public final class SettingsFile
{
    public static final int MAX_LENGTH = 64 * 1024;

    private static final int MAX_SHOWN = 40;
    private static final Pattern INTERVAL = Pattern.compile("every (\\d{1,12}) (us|ms|s)");
    private static final Map<String, ChronoUnit> UNITS =
        Map.of("us", ChronoUnit.MICROS, "ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS);
    private static final Map<String, Key> KEYS = new TreeMap<>(Map.of(
        "backend", new Key(
            "one of " + Arrays.toString(Backend.values()),
            (settings, value) -> settings.backend = Backend.valueOf(value)),
        "force", new Key(
            "manual, everyRecord, or an interval up to a day such as: every 5 ms (or us, or s)",
            (settings, value) -> settings.forcePolicy = forcePolicy(value)),
        "recycleSegments", new Key(
            "true or false", (settings, value) -> settings.isRecycling = isTrue(value)),
        "segmentLength", new Key(
            "bytes, a power of two from " + Layout.MIN_SEGMENT_LENGTH + " to " + Layout.MAX_SEGMENT_LENGTH,
            (settings, value) ->
            {
                // For a journal that is created: an existing journal keeps its segment length.
                settings.newSegmentLength = Settings.checkSegmentLength(Integer.parseInt(value));
                settings.segmentLength = 0;
            }),
        "writeWindow", new Key(
            "bytes, from 0 to " + Settings.MAX_WRITE_WINDOW,
            (settings, value) -> settings.writeWindow = Settings.checkWriteWindow(Integer.parseInt(value)))));

    /** The allowed values of a key, and how a value is set. */
    private record Key(String allowed, BiConsumer<Settings, String> setter)
    {
    }

    private SettingsFile()
    {
    }

    /** Applies the settings of a file: all of them, or none if one is invalid. */
    public static void apply(final Path file, final Settings settings)
    {
        final Properties properties = read(file);
        // Applied to throw-away settings first, because the last value may be invalid.
        apply(file, properties, new Settings(file));
        apply(file, properties, settings);
    }

    private static Properties read(final Path file)
    {
        // Checked before the file is opened: opening a pipe would block.
        if (!Files.isRegularFile(file))
        {
            throw new IllegalArgumentException("no such settings file, or not a regular file: file=" + file);
        }

        try (Reader reader = Files.newBufferedReader(file))
        {
            if (Files.size(file) > MAX_LENGTH)
            {
                throw new IOException("too long: maxLength=" + MAX_LENGTH);
            }

            final Properties properties = new Properties();
            properties.load(reader);
            return properties;
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            throw new IllegalArgumentException(
                "settings are not a properties file in UTF-8: file=" + file + "; cause=" + ex, ex);
        }
    }

    private static void apply(final Path file, final Properties properties, final Settings settings)
    {
        for (final String name : new TreeSet<>(properties.stringPropertyNames()))
        {
            final String value = properties.getProperty(name).strip();
            final Key key = KEYS.get(name);
            if (null == key)
            {
                throw new IllegalArgumentException(
                    "unknown setting: file=" + file + ", key=" + shown(name) + ", allowed=" + KEYS.keySet());
            }

            try
            {
                key.setter.accept(settings, value);
            }
            catch (final IllegalArgumentException ex)
            {
                throw new IllegalArgumentException(
                    "invalid setting: file=" + file + ", key=" + name + ", value=" + shown(value) + ", allowed=" +
                        key.allowed,
                    ex);
            }
        }
    }

    private static ForcePolicy forcePolicy(final String value)
    {
        final Matcher interval = INTERVAL.matcher(value);
        if (interval.matches())
        {
            return ForcePolicy.every(Duration.of(Long.parseLong(interval.group(1)), UNITS.get(interval.group(2))));
        }

        return switch (value)
        {
            case "manual" -> ForcePolicy.manual();
            case "everyRecord" -> ForcePolicy.everyRecord();
            default -> throw new IllegalArgumentException("no force policy: " + shown(value));
        };
    }

    private static boolean isTrue(final String value)
    {
        return switch (value)
        {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false: " + shown(value));
        };
    }

    /** Text from the file, as used in a message: short, and without control characters. */
    private static String shown(final String text)
    {
        final String shortened = text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
        return '"' + shortened.replaceAll("[^\\x20-\\x7E]", "?") + '"';
    }
}
