/* Generated SBE (Simple Binary Encoding) message codec. */
package io.journal.examples.bank.codec.sbe;

import org.agrona.DirectBuffer;

@SuppressWarnings("all")
public final class TransferredDecoder
{
    public static final int BLOCK_LENGTH = 40;
    public static final int TEMPLATE_ID = 4;
    public static final int SCHEMA_ID = 17491;
    public static final int SCHEMA_VERSION = 1;
    public static final String SEMANTIC_VERSION = "1.1";
    public static final java.nio.ByteOrder BYTE_ORDER = java.nio.ByteOrder.LITTLE_ENDIAN;

    private final TransferredDecoder parentMessage = this;
    private DirectBuffer buffer;
    private int offset;
    private int limit;
    int actingBlockLength;
    int actingVersion;

    public int sbeBlockLength()
    {
        return BLOCK_LENGTH;
    }

    public int sbeTemplateId()
    {
        return TEMPLATE_ID;
    }

    public int sbeSchemaId()
    {
        return SCHEMA_ID;
    }

    public int sbeSchemaVersion()
    {
        return SCHEMA_VERSION;
    }

    public String sbeSemanticType()
    {
        return "";
    }

    public DirectBuffer buffer()
    {
        return buffer;
    }

    public int offset()
    {
        return offset;
    }

    public TransferredDecoder wrap(
        final DirectBuffer buffer,
        final int offset,
        final int actingBlockLength,
        final int actingVersion)
    {
        if (buffer != this.buffer)
        {
            this.buffer = buffer;
        }
        this.offset = offset;
        this.actingBlockLength = actingBlockLength;
        this.actingVersion = actingVersion;
        limit(offset + actingBlockLength);

        return this;
    }

    public TransferredDecoder wrapAndApplyHeader(
        final DirectBuffer buffer,
        final int offset,
        final MessageHeaderDecoder headerDecoder)
    {
        headerDecoder.wrap(buffer, offset);

        final int templateId = headerDecoder.templateId();
        if (TEMPLATE_ID != templateId)
        {
            throw new IllegalStateException("Invalid TEMPLATE_ID: " + templateId);
        }

        return wrap(
            buffer,
            offset + MessageHeaderDecoder.ENCODED_LENGTH,
            headerDecoder.blockLength(),
            headerDecoder.version());
    }

    public TransferredDecoder sbeRewind()
    {
        return wrap(buffer, offset, actingBlockLength, actingVersion);
    }

    public int sbeDecodedLength()
    {
        final int currentLimit = limit();
        sbeSkip();
        final int decodedLength = encodedLength();
        limit(currentLimit);

        return decodedLength;
    }

    public int actingVersion()
    {
        return actingVersion;
    }

    public int encodedLength()
    {
        return limit - offset;
    }

    public int limit()
    {
        return limit;
    }

    public void limit(final int limit)
    {
        this.limit = limit;
    }

    public static int commandIdHighId()
    {
        return 1;
    }

    public static int commandIdHighSinceVersion()
    {
        return 0;
    }

    public static int commandIdHighEncodingOffset()
    {
        return 0;
    }

    public static int commandIdHighEncodingLength()
    {
        return 8;
    }

    public static String commandIdHighMetaAttribute(final MetaAttribute metaAttribute)
    {
        if (MetaAttribute.PRESENCE == metaAttribute)
        {
            return "required";
        }

        return "";
    }

    public static long commandIdHighNullValue()
    {
        return -9223372036854775808L;
    }

    public static long commandIdHighMinValue()
    {
        return -9223372036854775807L;
    }

    public static long commandIdHighMaxValue()
    {
        return 9223372036854775807L;
    }

    public long commandIdHigh()
    {
        return buffer.getLong(offset + 0, BYTE_ORDER);
    }


    public static int commandIdLowId()
    {
        return 2;
    }

    public static int commandIdLowSinceVersion()
    {
        return 0;
    }

    public static int commandIdLowEncodingOffset()
    {
        return 8;
    }

    public static int commandIdLowEncodingLength()
    {
        return 8;
    }

    public static String commandIdLowMetaAttribute(final MetaAttribute metaAttribute)
    {
        if (MetaAttribute.PRESENCE == metaAttribute)
        {
            return "required";
        }

        return "";
    }

    public static long commandIdLowNullValue()
    {
        return -9223372036854775808L;
    }

    public static long commandIdLowMinValue()
    {
        return -9223372036854775807L;
    }

    public static long commandIdLowMaxValue()
    {
        return 9223372036854775807L;
    }

    public long commandIdLow()
    {
        return buffer.getLong(offset + 8, BYTE_ORDER);
    }


    public static int fromAccountIdId()
    {
        return 3;
    }

    public static int fromAccountIdSinceVersion()
    {
        return 0;
    }

    public static int fromAccountIdEncodingOffset()
    {
        return 16;
    }

    public static int fromAccountIdEncodingLength()
    {
        return 8;
    }

    public static String fromAccountIdMetaAttribute(final MetaAttribute metaAttribute)
    {
        if (MetaAttribute.PRESENCE == metaAttribute)
        {
            return "required";
        }

        return "";
    }

    public static long fromAccountIdNullValue()
    {
        return -9223372036854775808L;
    }

    public static long fromAccountIdMinValue()
    {
        return -9223372036854775807L;
    }

    public static long fromAccountIdMaxValue()
    {
        return 9223372036854775807L;
    }

    public long fromAccountId()
    {
        return buffer.getLong(offset + 16, BYTE_ORDER);
    }


    public static int toAccountIdId()
    {
        return 4;
    }

    public static int toAccountIdSinceVersion()
    {
        return 0;
    }

    public static int toAccountIdEncodingOffset()
    {
        return 24;
    }

    public static int toAccountIdEncodingLength()
    {
        return 8;
    }

    public static String toAccountIdMetaAttribute(final MetaAttribute metaAttribute)
    {
        if (MetaAttribute.PRESENCE == metaAttribute)
        {
            return "required";
        }

        return "";
    }

    public static long toAccountIdNullValue()
    {
        return -9223372036854775808L;
    }

    public static long toAccountIdMinValue()
    {
        return -9223372036854775807L;
    }

    public static long toAccountIdMaxValue()
    {
        return 9223372036854775807L;
    }

    public long toAccountId()
    {
        return buffer.getLong(offset + 24, BYTE_ORDER);
    }


    public static int amountCentsId()
    {
        return 5;
    }

    public static int amountCentsSinceVersion()
    {
        return 0;
    }

    public static int amountCentsEncodingOffset()
    {
        return 32;
    }

    public static int amountCentsEncodingLength()
    {
        return 8;
    }

    public static String amountCentsMetaAttribute(final MetaAttribute metaAttribute)
    {
        if (MetaAttribute.PRESENCE == metaAttribute)
        {
            return "required";
        }

        return "";
    }

    public static long amountCentsNullValue()
    {
        return -9223372036854775808L;
    }

    public static long amountCentsMinValue()
    {
        return -9223372036854775807L;
    }

    public static long amountCentsMaxValue()
    {
        return 9223372036854775807L;
    }

    public long amountCents()
    {
        return buffer.getLong(offset + 32, BYTE_ORDER);
    }


    public String toString()
    {
        if (null == buffer)
        {
            return "";
        }

        final TransferredDecoder decoder = new TransferredDecoder();
        decoder.wrap(buffer, offset, actingBlockLength, actingVersion);

        return decoder.appendTo(new StringBuilder()).toString();
    }

    public StringBuilder appendTo(final StringBuilder builder)
    {
        if (null == buffer)
        {
            return builder;
        }

        final int originalLimit = limit();
        limit(offset + actingBlockLength);
        builder.append("[Transferred](sbeTemplateId=");
        builder.append(TEMPLATE_ID);
        builder.append("|sbeSchemaId=");
        builder.append(SCHEMA_ID);
        builder.append("|sbeSchemaVersion=");
        if (parentMessage.actingVersion != SCHEMA_VERSION)
        {
            builder.append(parentMessage.actingVersion);
            builder.append('/');
        }
        builder.append(SCHEMA_VERSION);
        builder.append("|sbeBlockLength=");
        if (actingBlockLength != BLOCK_LENGTH)
        {
            builder.append(actingBlockLength);
            builder.append('/');
        }
        builder.append(BLOCK_LENGTH);
        builder.append("):");
        builder.append("commandIdHigh=");
        builder.append(this.commandIdHigh());
        builder.append('|');
        builder.append("commandIdLow=");
        builder.append(this.commandIdLow());
        builder.append('|');
        builder.append("fromAccountId=");
        builder.append(this.fromAccountId());
        builder.append('|');
        builder.append("toAccountId=");
        builder.append(this.toAccountId());
        builder.append('|');
        builder.append("amountCents=");
        builder.append(this.amountCents());

        limit(originalLimit);

        return builder;
    }
    
    public TransferredDecoder sbeSkip()
    {
        sbeRewind();

        return this;
    }
}
