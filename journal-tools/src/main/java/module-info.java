// SPDX-License-Identifier: Apache-2.0
/** The {@code journal} command. */
module io.journal.tools
{
    requires io.journal.streams;
    requires io.journal.verify;
    requires com.fasterxml.jackson.databind;
    requires info.picocli;

    // Lets picocli set the options, which are private fields.
    opens io.journal.tools to info.picocli;
}
