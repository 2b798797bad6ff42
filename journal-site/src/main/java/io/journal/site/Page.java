// SPDX-License-Identifier: Apache-2.0
package io.journal.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** A document in Markdown, and the page that it becomes. */
final class Page
{
    private static final List<Extension> EXTENSIONS =
        List.of(TablesExtension.create(), HeadingAnchorExtension.create());

    private final Path document;
    private final String markdown;
    private final Node parsed;

    Page(final Path document, final String markdown)
    {
        this.document = document;
        this.markdown = markdown;
        this.parsed = Parser.builder().extensions(EXTENSIONS).build().parse(markdown);
    }

    Path document()
    {
        return document;
    }

    String markdown()
    {
        return markdown;
    }

    /** Its file on the site: a README is the index of its directory. */
    Path file()
    {
        final String name = document.getFileName().toString();
        return document.resolveSibling("README.md".equals(name) ? "index.html" : name.replace(".md", ".html"));
    }

    /** A table of measured numbers, which only links lead to. */
    boolean isResult()
    {
        return document.startsWith(Path.of("docs", "results"));
    }

    String title()
    {
        for (Node node = parsed.getFirstChild(); null != node; node = node.getNext())
        {
            if (node instanceof Heading)
            {
                return escape(text(node));
            }
        }
        return document.toString();
    }

    String html(final BiFunction<Page, String, String> links)
    {
        parsed.accept(new AbstractVisitor()
        {
            @Override
            public void visit(final Link link)
            {
                link.setDestination(links.apply(Page.this, link.getDestination()));
                visitChildren(link);
            }

            @Override
            public void visit(final Image image)
            {
                image.setDestination(links.apply(Page.this, image.getDestination()));
            }
        });
        return HtmlRenderer.builder().extensions(EXTENSIONS).build().render(parsed);
    }

    /** An entry of the search for each section: page, heading, address and text, as an array of JavaScript. */
    Stream<String> index()
    {
        final List<String> entries = new ArrayList<>();
        final IdGenerator ids = IdGenerator.builder().build();
        String heading = "";
        String anchor = "";
        final StringBuilder text = new StringBuilder();
        for (Node node = parsed.getFirstChild(); null != node; node = node.getNext())
        {
            if (node instanceof Heading)
            {
                addEntry(entries, heading, anchor, text);
                heading = text(node);
                anchor = ids.generateId(heading);
            }
            else
            {
                text.append(text(node)).append('\n');
            }
        }
        addEntry(entries, heading, anchor, text);
        return entries.stream();
    }

    private void addEntry(
        final List<String> entries, final String heading, final String anchor, final StringBuilder text)
    {
        if (!heading.isEmpty())
        {
            final String address = file().toString().replace('\\', '/') + '#' + anchor;
            entries.add("[" + quote(title()) + "," + quote(heading) + "," + quote(address) + "," +
                quote(text.toString().replaceAll("\\s+", " ")) + "]");
        }
        text.setLength(0);
    }

    /** The words of a node and of those in it, without markup and addresses. */
    private static String text(final Node node)
    {
        final StringBuilder text = new StringBuilder();
        node.accept(new AbstractVisitor()
        {
            @Override
            public void visit(final Text literal)
            {
                text.append(literal.getLiteral());
            }

            @Override
            public void visit(final Code code)
            {
                text.append(code.getLiteral());
            }

            @Override
            public void visit(final FencedCodeBlock block)
            {
                text.append(block.getLiteral());
            }

            @Override
            public void visit(final SoftLineBreak end)
            {
                text.append(' ');
            }

            @Override
            public void visit(final Paragraph paragraph)
            {
                visitChildren(paragraph);
                text.append(' ');
            }

            @Override
            public void visit(final CustomNode cell)
            {
                visitChildren(cell);
                text.append(' ');
            }
        });
        return text.toString();
    }

    private static String quote(final String text)
    {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ").replace("<", "\\u003c") + '"';
    }

    static String escape(final String text)
    {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
