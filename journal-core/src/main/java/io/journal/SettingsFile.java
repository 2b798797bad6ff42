package io.journal;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.internal.platform.FileType;
import io.journal.store.Backend;

/**
 * Settings of a {@link JournalBuilder} in a properties file: those that depend on the machine and its disk, and so
 * belong neither to the application's code nor to the journal.
 */
final class SettingsFile
{
    static final int MAX_LENGTH = 64 * 1024;

    private static final int MAX_SHOWN = 40;
    private static final Pattern INTERVAL = Pattern.compile("every (\\d{1,12}) (us|ms|s)");
    private static final Map<String, ChronoUnit> UNITS =
        Map.of("us", ChronoUnit.MICROS, "ms", ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS);

    private static final Map<String, Setting> SETTINGS = new TreeMap<>(Map.of(
        "backend", new Setting(
            "one of " + Arrays.toString(Backend.values()),
            (builder, value) -> builder.backend(Backend.valueOf(value))),
        "force", new Setting(
            "manual, everyRecord, or an interval up to a day such as: every 5 ms (or us, or s)",
            (builder, value) -> builder.force(forcePolicy(value))),
        "recycleSegments", new Setting(
            "true or false",
            (builder, value) -> builder.recycleSegments(isTrue(value))),
        "segmentLength", new Setting(
            "bytes, a power of two from " + JournalBuilder.MIN_SEGMENT_LENGTH + " to " +
                JournalBuilder.MAX_SEGMENT_LENGTH,
            (builder, value) -> builder.newSegmentLength(Integer.parseInt(value))),
        "writeWindow", new Setting(
            "bytes, from 0 to " + JournalBuilder.MAX_WRITE_WINDOW,
            (builder, value) -> builder.writeWindow(Integer.parseInt(value)))));

    private final Path file;

    private SettingsFile(final Path file)
    {
        this.file = file;
    }

    /**
     * Applies the settings of a file: all of them, or none if one is invalid.
     *
     * @throws JournalSettingsException if one is invalid.
     */
    static void apply(final Path file, final JournalBuilder builder)
    {
        final SettingsFile settings = new SettingsFile(file);
        final Map<String, String> values = settings.parse(settings.read());
        // Applied to another builder first: the last value may be the invalid one.
        settings.apply(values, new JournalBuilder(builder.settings().path));
        settings.apply(values, builder);
    }

    private void apply(final Map<String, String> values, final JournalBuilder builder)
    {
        values.forEach((key, value) ->
        {
            final Setting setting = SETTINGS.get(key);
            if (null == setting)
            {
                throw new JournalSettingsException(
                    "unknown setting: file=" + file + ", key=" + shown(key) + ", allowed=" + SETTINGS.keySet());
            }

            try
            {
                setting.setter.accept(builder, value);
            }
            catch (final IllegalArgumentException ex)
            {
                throw new JournalSettingsException(
                    "bad setting: file=" + file + ", key=" + key + ", value=" + shown(value) + ", allowed=" +
                        setting.allowed,
                    ex);
            }
        });
    }

    private void checkRegular()
    {
        try
        {
            final FileType type = FileType.of(file);
            if (FileType.REGULAR_FILE != type)
            {
                throw new JournalSettingsException(
                    (FileType.ABSENT == type ? "no such settings file" : "settings are not a regular file") +
                        ": file=" + file);
            }
        }
        catch (final IOException ex)
        {
            throw new JournalSettingsException("settings cannot be read: file=" + file, ex);
        }
    }

    private String read()
    {
        // Checked before the file is opened: opening a pipe would block.
        checkRegular();
        try (InputStream in = Files.newInputStream(file))
        {
            final byte[] bytes = in.readNBytes(MAX_LENGTH + 1);
            if (bytes.length > MAX_LENGTH)
            {
                throw new JournalSettingsException("settings too long: file=" + file + ", maxLength=" + MAX_LENGTH);
            }

            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (final CharacterCodingException ex)
        {
            throw new JournalSettingsException("settings are not UTF-8: file=" + file, ex);
        }
        catch (final IOException ex)
        {
            throw new JournalSettingsException("settings cannot be read: file=" + file, ex);
        }
    }

    private Map<String, String> parse(final String text)
    {
        final Map<String, String> values = new TreeMap<>();
        final Properties properties = new Properties()
        {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized Object put(final Object key, final Object value)
            {
                // Properties would silently keep the last one.
                if (null != values.put(key.toString(), value.toString().strip()))
                {
                    throw new JournalSettingsException(
                        "setting given twice: file=" + file + ", key=" + shown(key.toString()));
                }
                return null;
            }
        };

        try
        {
            properties.load(new StringReader(text));
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            throw new JournalSettingsException("settings are no properties: file=" + file, ex);
        }

        return values;
    }

    private static ForcePolicy forcePolicy(final String value)
    {
        if ("manual".equals(value))
        {
            return ForcePolicy.manual();
        }

        if ("everyRecord".equals(value))
        {
            return ForcePolicy.everyRecord();
        }

        final Matcher matcher = INTERVAL.matcher(value);
        if (!matcher.matches())
        {
            throw new IllegalArgumentException("no force policy: " + shown(value));
        }

        return ForcePolicy.every(Duration.of(Long.parseLong(matcher.group(1)), UNITS.get(matcher.group(2))));
    }

    private static boolean isTrue(final String value)
    {
        final boolean isTrue = "true".equals(value);
        if (!isTrue && !"false".equals(value))
        {
            throw new IllegalArgumentException("neither true nor false: " + shown(value));
        }

        return isTrue;
    }

    /**
     * Text from the file, as used in a message: short, and without control characters.
     */
    private static String shown(final String text)
    {
        final String shortened = text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
        return '"' + shortened.replaceAll("[^\\x20-\\x7E]", "?") + '"';
    }

    /**
     * The allowed values of a key, in words, and its setter.
     */
    private static final class Setting
    {
        private final String allowed;
        private final BiConsumer<JournalBuilder, String> setter;

        Setting(final String allowed, final BiConsumer<JournalBuilder, String> setter)
        {
            this.allowed = allowed;
            this.setter = setter;
        }
    }
}
