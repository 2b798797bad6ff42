/**
 * The {@code journal} command, and verification and repair as a library in {@link io.journal.verify}.
 */
module io.journal.tools
{
    requires transitive io.journal;
    requires com.fasterxml.jackson.databind;
    requires info.picocli;
    requires me.tongfei.progressbar;

    exports io.journal.verify;

    // The command's options are private fields.
    opens io.journal.tools to info.picocli;
}
