/**
 * Verification, repair and salvage of journals.
 */
// The warnings concern this descriptor alone.
@SuppressWarnings({ "requires-automatic", "requires-transitive-automatic" })
module io.journal.verify
{
    requires transitive io.journal;

    exports io.journal.verify;
}
