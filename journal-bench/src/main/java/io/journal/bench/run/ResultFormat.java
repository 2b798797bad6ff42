package io.journal.bench.run;

import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.type.LogicalType;

/**
 * The lines of a result file, in JSON: a header, then a line for each case and round. Keys of values end with their
 * unit.
 */
public final class ResultFormat
{
    public static final int VERSION = 2;

    /** Rejects lines in which something is missing, of another type, or follows. */
    public static final ObjectMapper JSON = JsonMapper.builder()
        .enable(
            DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
            DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .withCoercionConfig(LogicalType.Integer, (type) -> type.setCoercion(
            CoercionInputShape.String, CoercionAction.Fail))
        .withCoercionConfig(LogicalType.Float, (type) -> type.setCoercion(
            CoercionInputShape.String, CoercionAction.Fail))
        .build();

    private ResultFormat()
    {
    }

    /**
     * What was run, and where.
     *
     * @param experiment name of the command.
     * @param scale      fraction of the full size that was run, at most 1.
     * @param command    command line as typed.
     * @param plan       describes what is done.
     * @param machine    its facts, by name.
     */
    public record Header(
        int version, String experiment, String profile, double scale, String command, String plan,
        Map<String, String> machine)
    {
    }

    /** Values of one case in one round. */
    public record Line(
        int round, @JsonProperty("case") String label,
        @JsonSerialize(contentUsing = NumberOrText.class) Map<String, String> parameters,
        @JsonSerialize(contentUsing = NumberOrText.class) Map<String, String> values)
    {
    }

    /** Writes a text that is a number as a number. */
    static final class NumberOrText extends StdSerializer<String>
    {
        private static final long serialVersionUID = 1;
        private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?(E-?\\d+)?");

        NumberOrText()
        {
            super(String.class);
        }

        @Override
        public void serialize(final String text, final JsonGenerator out, final SerializerProvider provider)
            throws IOException
        {
            if (NUMBER.matcher(text).matches())
            {
                out.writeNumber(text);
            }
            else
            {
                out.writeString(text);
            }
        }
    }
}
