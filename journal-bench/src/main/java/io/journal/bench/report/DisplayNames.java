package io.journal.bench.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Display names of parameters and values, and their order.
 */
final class DisplayNames
{
    private static final int KIB = 1024;
    private static final int MIB = KIB * KIB;
    /** Display names of strategies, as in the JDK and the articles. */
    private static final Map<String, String> STRATEGIES = strategies();

    private DisplayNames()
    {
    }

    /**
     * Orders cases by their parameters: numerically if possible, else alphabetically.
     */
    static int compare(final Map<String, String> first, final Map<String, String> second)
    {
        for (final Map.Entry<String, String> entry : first.entrySet())
        {
            final String other = second.get(entry.getKey());
            if (null != other)
            {
                final int order = compare(entry.getValue(), other);
                if (0 != order)
                {
                    return order;
                }
            }
        }

        return Integer.compare(first.size(), second.size());
    }

    static int compare(final String first, final String second)
    {
        return isNumber(first) && isNumber(second) ?
            Double.compare(Double.parseDouble(first), Double.parseDouble(second)) : first.compareTo(second);
    }

    static boolean isNumber(final String text)
    {
        return text.matches("-?\\d+(\\.\\d+)?(E-?\\d+)?");
    }

    /**
     * API family of a case, which determines its colour and order in every chart by the leading digit.
     */
    static String family(final String name)
    {
        final String text = name.toLowerCase(Locale.ROOT);
        return text.matches("(c |pwrite|the |baseline).*") ? "7 baseline" :
            text.matches(".*(mapped|mmap).*") ? "1 mapped" :
                text.contains("random") ? "3 RandomAccessFile" :
                    text.contains("stream") ? "4 stream" :
                        text.matches(".*(indirect|heap|wrapped|bufferedchannel).*") ? "5 FileChannel, heap buffer" :
                            text.matches(".*(channel|direct|transfer|files).*") ? "2 FileChannel" : "6 other";
    }

    static boolean isBackend(final String name)
    {
        return name.matches("[A-Z_]+");
    }

    static String words(final Map<String, String> parameters)
    {
        return parameters.entrySet().stream().map((entry) -> words(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(", "));
    }

    static String words(final String name, final String value)
    {
        return switch (name)
        {
            case "length" -> "file of " + bytes(value);
            case "pageLength" -> "pages of " + bytes(value);
            case "bufferLength" -> "0".equals(value) ? "no buffer" : "buffer of " + bytes(value);
            case "arrayLength" -> "array of " + bytes(value);
            case "recordLength" -> "records of " + bytes(value);
            case "windowLength" -> "0".equals(value) ? "no window" : "window of " + bytes(value);
            case "segmentLength" -> "segments of " + bytes(value);
            case "threads" -> value + ("1".equals(value) ? " thread" : " threads");
            case "records" -> grouped(value) + " records";
            case "rate" -> grouped(value) + "/s";
            case "way" -> strategy(value);
            case "backend", "system", "direction" -> value;
            case "varied" -> value + " varied";
            case "granularity" -> "by " + value.toLowerCase(Locale.ROOT);
            case "sync" -> "forced by " + value.toLowerCase(Locale.ROOT).replace('_', ' ');
            case "until" -> "until " + value.toLowerCase(Locale.ROOT);
            case "variant" -> "variant " + value.toLowerCase(Locale.ROOT);
            case "segments" -> value.toLowerCase(Locale.ROOT) + " segments";
            case "layout", "idle", "where", "forcePolicy" -> value.toLowerCase(Locale.ROOT).replace('_', ' ');
            default -> "true".equals(value) ? name : "false".equals(value) ? "no " + name :
                split(name) + " " + (isNumber(value) ? grouped(value) : value);
        };
    }

    private static String strategy(final String value)
    {
        String text = value;
        if (isBackend(value))
        {
            for (final Map.Entry<String, String> entry : STRATEGIES.entrySet())
            {
                text = text.replace(entry.getKey(), entry.getValue());
            }
        }
        return text;
    }

    private static Map<String, String> strategies()
    {
        final Map<String, String> names = new LinkedHashMap<>();
        names.put("RANDOM_ACCESS_FILE", "RandomAccessFile");
        names.put("BUFFERED_INPUT_STREAM", "BufferedInputStream");
        names.put("FILE_INPUT_STREAM", "FileInputStream");
        names.put("BUFFERED_READER", "BufferedReader");
        names.put("BUFFERED_STREAM", "buffered stream");
        names.put("STREAM_TRUNCATING", "truncating stream");
        names.put("STREAM", "stream");
        names.put("CHANNEL_HEAP", "FileChannel, heap buffer");
        names.put("CHANNEL_DIRECT", "FileChannel, direct buffer");
        names.put("CHANNEL_WRAPPED", "FileChannel, wrapped");
        names.put("MAPPED", "mapped");
        names.put("FILES_COPY", "Files.copy");
        names.put("TRANSFER_TO", "transferTo");
        names.put("TRANSFER_FROM", "transferFrom");
        names.put("_BYTES", ", single bytes");
        names.put("_ARRAY", ", arrays");
        return names;
    }

    /**
     * Formats a length, in KiB or MiB if it is a multiple.
     */
    static String bytes(final String text)
    {
        if (!text.matches("\\d{1,18}"))
        {
            return text;
        }

        final long length = Long.parseLong(text);
        return 0 == length % MIB && length > 0 ? length / MIB + " MiB" :
            0 == length % KIB && length > 0 && length < MIB ? length / KIB + " KiB" :
                length < MIB ? grouped(text) + " B" : Unit.number(length / 1e6) + " MB";
    }

    /**
     * Name of a value; says whether a rate is that of the page cache or the device.
     */
    static String value(final String key, final String profile)
    {
        return switch (key)
        {
            case "writeBytesPerSecond" -> "written to the page cache";
            case "durableBytesPerSecond" -> "written and fsynced";
            case "readBytesPerSecond" -> "cold".equals(profile) ? "read from the device" : "read from the page cache";
            case "readAgainBytesPerSecond" -> "read again, from the page cache";
            case "burstBytesPerSecond" -> "written in a burst, to the page cache";
            case "forced1PerSecond" -> "fsync after each record";
            case "forced16PerSecond" -> "fsync after 16 records";
            case "forced256PerSecond" -> "fsync after 256 records";
            case "p999Us" -> "p99.9";
            case "p9999Us" -> "p99.99";
            default -> split(Unit.of(key).strip(key));
        };
    }

    static String title(final String words)
    {
        return words.isEmpty() ? words : Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    private static String grouped(final String number)
    {
        return number.matches("\\d{1,18}") ? String.format(Locale.ROOT, "%,d", Long.parseLong(number)) : number;
    }

    private static String split(final String camelCase)
    {
        return camelCase.replaceAll("([a-z])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT);
    }
}
