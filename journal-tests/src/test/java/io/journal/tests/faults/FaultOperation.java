// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.time.Duration;
import java.util.function.Consumer;

import io.journal.ForcePolicy;
import io.journal.Retention;

/** An operation during which a call fails. It can be retried if it threw and the journal has not failed. */
enum FaultOperation
{
    CREATE(Template.NONE, FaultSession::open),
    OPEN_CLOSED(Template.CLOSED, FaultSession::open),
    OPEN_KILLED(Template.KILLED, FaultSession::open),
    OPEN_TORN(Template.TORN, FaultSession::open),
    OPEN_TRUNCATING(Template.TRUNCATING, FaultSession::open),
    OPEN_CREATING(Template.CREATING, FaultSession::open),
    OPEN_PRUNING(Template.PRUNING, FaultSession::open),
    OPEN_PRUNING_RECYCLING(Template.PRUNING, (session) -> session.recycling().open()),
    OPEN_FORCE_FAILED(Template.FORCE_FAILED, FaultSession::open),
    OPEN_WITHOUT_WATERMARK(Template.WITHOUT_WATERMARK, FaultSession::open),
    APPEND(Template.CLOSED, FaultSession::open, (session) -> session.append(3).appendBatch(3)),
    APPEND_UNTIL_ROLL(Template.CLOSED, FaultSession::open, (session) -> session.append(30)),
    APPEND_EVERY_RECORD(
        Template.CLOSED, (session) -> session.policy(ForcePolicy.everyRecord()).open(),
        (session) -> session.append(3).appendBatch(2)),
    APPEND_SHARED(
        Template.CLOSED, (session) -> session.shared().open(), (session) -> session.append(30).appendBatch(2).force()),
    APPEND_WINDOW(
        Template.CLOSED, (session) -> session.windowed().open(),
        (session) -> session.append(30).appendBatch(2).force().append(3)),
    APPEND_WINDOW_AGENT(
        Template.CLOSED, (session) -> session.windowed().open().append(3),
        (session) -> session.doWork(3).append(30).doWork(5)),
    FORCE(Template.CLOSED, (session) -> session.open().append(3), (session) -> session.force()),
    FORCE_SEGMENTS(Template.CLOSED, (session) -> session.open().append(60), (session) -> session.force()),
    AWAIT_FORCED(Template.CLOSED, (session) -> session.open().append(3), FaultSession::awaitForced),
    AGENT_PREPARES(Template.CLOSED, FaultSession::open, (session) -> session.doWork(3)),
    AGENT_FORCES(Template.CLOSED, (session) -> session.open().append(60), (session) -> session.doWork(6)),
    AGENT_FORCES_PERIODICALLY(
        Template.CLOSED, (session) -> session.policy(ForcePolicy.every(Duration.ZERO)).open().append(3),
        (session) -> session.doWork(3).append(1).doWork(2)),
    AGENT_RETAINS(
        Template.CLOSED,
        (session) -> session.retaining(Retention.bytes(2 * FaultSession.SEGMENT_LENGTH)).open().append(60),
        (session) -> session.mayDropBefore(130).doWork(6)),
    ROLL(Template.CLOSED, (session) -> session.open().append(2), (session) -> session.roll().append(1)),
    PRUNE(Template.CLOSED, (session) -> session.open().append(60), (session) -> session.prune(70)),
    PRUNE_RECYCLING(
        Template.CLOSED, (session) -> session.recycling().open().append(60), (session) -> session.prune(70)),
    RECYCLE(
        Template.CLOSED, (session) -> session.recycling().open().append(60).prune(70),
        (session) -> session.doWork(2).append(60).doWork(2)),
    TRUNCATE(Template.CLOSED, (session) -> session.open().append(5).force(), (session) -> session.truncate(72)),
    TRUNCATE_SEGMENTS(
        Template.CLOSED, (session) -> session.open().append(60), (session) -> session.truncate(20).append(2)),
    CURSOR_CREATE(Template.CLOSED, FaultSession::open, (session) -> session.cursor("new")),
    CURSOR_CREATE_FIRST(Template.WITHOUT_CURSORS, FaultSession::open, (session) -> session.cursor("new")),
    CURSOR_SAVE(
        Template.CLOSED, (session) -> session.open().append(3),
        (session) -> session.save("a", session.model.lastCertain()).save("b", 40)),
    CURSOR_DELETE(Template.CLOSED, FaultSession::open, (session) -> session.deleteCursor("a")),
    SNAPSHOT_SAVE_FIRST(Template.CLOSED, FaultSession::open, (session) -> session.saveSnapshot(70)),
    SNAPSHOT_SAVE(
        Template.CLOSED, (session) -> session.open().saveSnapshot(20).saveSnapshot(30).append(3),
        (session) -> session.saveSnapshot(72)),
    SNAPSHOT_LOAD(
        Template.CLOSED, (session) -> session.open().saveSnapshot(20).saveSnapshot(30), FaultSession::loadSnapshot),
    SNAPSHOT_PRUNE(
        Template.CLOSED,
        (session) -> session.open().save("a", 60).append(60).saveSnapshot(60).saveSnapshot(100),
        (session) -> session.pruneBySnapshots(60)),
    SNAPSHOT_DISCARD(
        Template.CLOSED, (session) -> session.open().saveSnapshot(20).saveSnapshot(30),
        (session) -> session.discardSnapshot(20)),
    BACKUP_SNAPSHOTS(
        Template.CLOSED, (session) -> session.open().saveSnapshot(20).saveSnapshot(30), FaultSession::backup),
    BACKUP(Template.CLOSED, (session) -> session.open().append(3), FaultSession::backup),
    BACKUP_AGAIN(Template.CLOSED, (session) -> session.open().append(3).beginBackup(), FaultSession::backup),
    READ(Template.CLOSED, FaultSession::open, (session) -> session.openReader().poll(10)),
    SEEK(
        Template.CLOSED, (session) -> session.open().openReader(),
        (session) -> session.openReader().seek(30).poll(10).seekToEnds().poll(100).closeReader()),
    READ_ONLY(
        Template.KILLED, (session) ->
        {
        }, (session) -> session.openReadOnly().readState().poll(10)),
    READ_ONLY_FOLLOWING(
        Template.CLOSED, (session) -> session.open().openReadOnly().poll(10).append(40),
        (session) -> session.poll(10).readState()),
    READ_ONLY_TRUNCATING(
        Template.TRUNCATING, (session) ->
        {
        }, (session) -> session.openReadOnly().closeReader()),
    VERIFY(
        Template.KILLED, (session) ->
        {
        }, FaultSession::verifyAll),
    REPAIR(
        Template.CLOSED, (session) ->
        {
        }, FaultSession::repair),
    CLOSE_WINDOW(Template.CLOSED, (session) -> session.windowed().open().append(3), FaultSession::close),
    CLOSE(Template.CLOSED, (session) -> session.open().append(3).save("a", 30), FaultSession::close),
    LIFE(Template.CLOSED, (session) ->
    {
    }, FaultOperation::live),
    LIFE_WITH_THREAD(Template.CLOSED, FaultSession::threaded, FaultOperation::live);

    final Template template;
    final Consumer<FaultSession> prepare;
    final Consumer<FaultSession> run;

    FaultOperation(final Template template, final Consumer<FaultSession> run)
    {
        this(template, (session) ->
        {
        }, run);
    }

    FaultOperation(
        final Template template, final Consumer<FaultSession> prepare, final Consumer<FaultSession> run)
    {
        this.template = template;
        this.prepare = prepare;
        this.run = run;
    }

    /** The initial state of the journal's files. */
    enum Template
    {
        NONE, CLOSED, KILLED, TORN, TRUNCATING, CREATING, PRUNING, FORCE_FAILED, WITHOUT_WATERMARK,
        WITHOUT_CURSORS
    }

    /** Whether the same calls are made every time. */
    boolean isRepeatable()
    {
        return LIFE_WITH_THREAD != this;
    }

    /** Whether no file of the journal is changed. */
    boolean isReading()
    {
        return READ == this || SEEK == this || READ_ONLY == this || READ_ONLY_FOLLOWING == this ||
            READ_ONLY_TRUNCATING == this || VERIFY == this;
    }

    private static void live(final FaultSession session)
    {
        session.open().closeReader().append(5).force().cursor("c").append(30).save("c", 72).roll().appendBatch(3)
            .prune(30)
            .truncate(80).append(20).backup().deleteCursor("c").openReader().poll(20).closeReader().force().close();
    }
}
