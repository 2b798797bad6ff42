package io.journal.bench.report;

/**
 * Writes a page: whatever is put in as text comes out as text.
 */
final class Html
{
    private final StringBuilder out = new StringBuilder();

    /**
     * Text that no browser takes for anything else, in an element or in an attribute.
     */
    static String escape(final String text)
    {
        final StringBuilder escaped = new StringBuilder(text.length());
        text.codePoints().forEach((c) ->
        {
            switch (c)
            {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                // Not allowed in XML, which the images are.
                default -> escaped.appendCodePoint(c < ' ' && '\n' != c && '\t' != c ? '�' : c);
            }
        });

        return escaped.toString();
    }

    /**
     * Opens an element.
     *
     * @param attributes names and values in turn.
     */
    Html open(final String element, final String... attributes)
    {
        out.append('<').append(element);
        for (int i = 0; i < attributes.length; i += 2)
        {
            out.append(' ').append(attributes[i]).append("=\"").append(escape(attributes[i + 1])).append('"');
        }
        out.append('>');
        return this;
    }

    Html close(final String element)
    {
        out.append("</").append(element).append(">\n");
        return this;
    }

    Html text(final String text)
    {
        out.append(escape(text));
        return this;
    }

    /**
     * An element that has text alone.
     */
    Html element(final String element, final String text, final String... attributes)
    {
        return open(element, attributes).text(text).close(element);
    }

    /**
     * What is markup already.
     */
    Html markup(final String markup)
    {
        out.append(markup);
        return this;
    }

    @Override
    public String toString()
    {
        return out.toString();
    }
}
