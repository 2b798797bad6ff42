package io.journal.internal.manage;

import io.journal.internal.files.MarkFile;
import io.journal.internal.files.WriterFence;
import io.journal.internal.write.DurabilityListener;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentSupply;
import io.journal.internal.write.TailWriter;

/**
 * What changes of history use of the newest end of the journal.
 */
public record WriteRoom(
    MarkFile markFile,
    WriterFence fence,
    Positions positions,
    TailWriter tail,
    SegmentSupply supply,
    Forcer forcer,
    DurabilityListener listener)
{
}
