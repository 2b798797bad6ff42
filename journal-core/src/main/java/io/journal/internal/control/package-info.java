// SPDX-License-Identifier: Apache-2.0
/**
 * {@code journal.control}: the state that a journal's history depends on, its durable watermark, and the fence of its
 * writer.
 * <p>
 * All packages rely on this:
 * <ul>
 * <li>The state is one immutable object, replaced as a whole by one durable write. What belongs to the log follows from
 * it and the segments: {@link io.journal.internal.control.History}.
 * <li>Nothing that was readable is overwritten. Truncated records are cut, and appending continues after them.
 * <li>A state names a term before any frame of the term is written. The first frame of a term is a watermark frame, at
 * the place that the state names; everything before that place is durable.
 * <li>Each watermark frame names its term, and the term of the record before it: the chain of these frames, from the
 * start of the log over its cuts to its end, has to match the state, for openings, readers and the verifier alike.
 * <li>The durable watermark names its term; a watermark of another term is ignored.
 * <li>A writer stores the watermark, then reads the fence, then acknowledges. An opening stores the fence, then reads
 * the state, the watermark and the frames.
 * </ul>
 */
package io.journal.internal.control;
