// The page: shows what the stream brings. Without a message of the stream, rates are unknown and charts have a gap.

import { start as startCommands, state } from "./actions.js";
import { Chart } from "./charts.js";
import { $, busy, cell, done, element, int, money, ms, number, row, show } from "./dom.js";
import { proveLeader, proveRestart } from "./proof.js";

const SHOWN_EVENTS = 60;
const HIGHLIGHTED = 5;
const SILENCE_MS = 1_000;
const RECONNECT_MS = 300;
const PLACES = { accounts: "in memory", ledger: "in SQLite", turnover: "in another process" };

const charts = {
    rate: new Chart($("chartRate"), ["durable"]),
    group: new Chart($("chartGroup"), ["commands"]),
    fsync: new Chart($("chartFsync"), ["mean"]),
    lag: new Chart($("chartLag"), ["accounts", "ledger", "turnover"]),
};

let pid = 0;
let last = null;
let lastAt = 0;
let shownEvents = [];
const starts = [];
let leader = null;
let leaderlessSince = null;

// ---- the connection

function connect() {
    const stream = new EventSource("/api/stream");
    stream.addEventListener("bank", (message) => receive(JSON.parse(message.data)));
    stream.onerror = () => {
        stream.close();
        down(state.killed ?? "the server is down");
        setTimeout(connect, RECONNECT_MS);
    };
}

function receive(now) {
    lastAt = performance.now();
    if (pid !== now.pid) {
        const isRestart = pid !== 0;
        pid = now.pid;
        last = null;
        leader = null;
        leaderlessSince = null;
        shownEvents = [];
        if (isRestart) {
            proveRestart();
            if (now.status.start.snapshot > 0) {
                done("step5");
            }
        }
        starts.unshift(now.status.start);
    }
    state.killed = null;
    state.accounts = new Map(now.accounts.map((account) => [account.accountId, account]));
    state.lag = Math.max(...now.status.models.map((model) => model.lag));
    connection("live", "process " + now.pid);
    showFigures(now);
    showRates(now);
    showEvents(now.events);
    showAccounts(now.accounts);
    showModels(now.status);
    if (now.status.journal.cluster) {
        showCluster(now.status.journal.cluster, now.timeMs);
    }
    last = now;
}

/** While the server is down, its rates are unknown. */
function down(text) {
    connection("down", text);
    last = null;
    show({
        durableNote: "when it was last seen", rate: "–", rateNote: text, group: "–", groupNote: text, loadRate: "–",
        chartRateNow: "–", chartGroupNow: "–", chartFsyncNow: "–", chartLagNow: "–",
    });
    const time = performance.now() / 1000;
    charts.rate.add(time, [null]);
    charts.group.add(time, [null]);
    charts.fsync.add(time, [null]);
    charts.lag.add(time, [null, null, null]);
}

function connection(kind, text) {
    state.isLive = kind === "live";
    $("connection").dataset.state = kind;
    show({ connectionText: text });
    busy($("kill"), !state.isLive);
    busy($("killLeader"), !state.isLive);
}

setInterval(() => {
    if (pid !== 0 && performance.now() - lastAt > SILENCE_MS) {
        down(state.killed ?? "the server is down");
    }
}, 500);
connect();
startCommands();

// ---- what the stream brings

function showFigures(now) {
    const { journal, totals, pending } = now.status;
    show({
        durable: int(journal.durable),
        durableNote: pending === 1 ? "1 command on its way" : int(pending) + " commands on their way",
        money: totals ? money(totals.cents) : "–",
        moneyNote: !totals ? "the read model of the accounts has failed" :
            totals.accounts === 1 ? "in 1 account" : "in " + int(totals.accounts) + " accounts",
        kept: int(journal.durable - journal.first + 1) + " from sequence " + int(journal.first),
        size: int(journal.bytes / 1024 / 1024) + " MiB",
        fsyncs: int(journal.fsyncs),
        longest: ms(journal.longestFsyncNs / 1e6),
    });
}

function showRates(now) {
    if (!last) {
        return;
    }

    const { journal, models, pending } = now.status;
    const before = last.status.journal;
    const isCluster = journal.cluster !== null;
    const seconds = Math.max(now.timeMs - last.timeMs, 1) / 1000;
    const events = journal.durable - before.durable;
    const fsyncs = journal.fsyncs - before.fsyncs;
    const rate = events / seconds;
    const group = fsyncs > 0 ? events / fsyncs : 0;
    const fsyncMs = fsyncs > 0 ? (journal.fsyncNs - before.fsyncNs) / fsyncs / 1e6 : 0;
    show({
        rate: int(rate),
        rateNote: events === 0 ? "nothing happens" :
            int(fsyncs / seconds) + (isCluster ? " messages a second" : " fsyncs a second"),
        group: events > 0 ? int(group) : "–",
        groupNote: isCluster ? "a majority has fsynced them" : events > 0 ? "an fsync takes " + ms(fsyncMs) :
            "group commit",
        chartRateNow: int(rate), chartGroupNow: int(group), chartFsyncNow: isCluster ? int(pending) : ms(fsyncMs),
    });
    const time = performance.now() / 1000;
    charts.rate.add(time, [rate]);
    charts.group.add(time, [group]);
    charts.fsync.add(time, [isCluster ? pending : fsyncMs]);
    charts.lag.add(time, models.map((model) => model.lag));
    $("chartLagNow").replaceChildren(...models.map((model) => element("span", model.name + " " + int(model.lag))));
}

function showEvents(events) {
    const newest = shownEvents.length ? shownEvents[0].sequence : 0;
    const fresh = events.filter((event) => event.sequence > newest);
    if (!fresh.length) {
        return;
    }

    shownEvents = [...fresh.reverse(), ...shownEvents].slice(0, SHOWN_EVENTS);
    const rows = [];
    shownEvents.forEach((event, i) => {
        const isFresh = i < fresh.length && fresh.length <= HIGHLIGHTED;
        rows.push(row([number(event.sequence), cell(describe(event), "wide")], isFresh && "fresh"));
        const next = shownEvents[i + 1];
        if (next && next.sequence < event.sequence - 1) {
            const gap = cell("⋮  " + int(event.sequence - next.sequence - 1) + " events not shown", "gap");
            gap.colSpan = 2;
            rows.push(row([gap]));
        }
    });
    $("events").replaceChildren(...rows);
}

function describe({ kind, event }) {
    switch (kind) {
        case "OPENED": return "Account " + event.accountId + " opened for " + event.owner;
        case "TRANSFERRED":
            return money(event.cents) + " transferred from account " + event.accountId + " to " + event.toAccountId;
        case "DEPOSITED": return money(event.cents) + " deposited to account " + event.accountId;
        default: return money(event.cents) + " withdrawn from account " + event.accountId;
    }
}

function showAccounts(list) {
    if (list.length) {
        $("accounts").replaceChildren(...list.map((account) => row([
            number(account.accountId), cell(account.owner), number(money(account.cents)), number(account.version)])));
    }
}

function showModels(status) {
    $("models").replaceChildren(...status.models.map((model) => row([
        cell(model.name + ", " + PLACES[model.name] + (model.failure ? ": " + model.failure : ""), "wide"),
        number(model.sequence), number(model.lag)])));
    $("starts").replaceChildren(...starts.map((start, i) => row([
        number(starts.length - i), cell(start.snapshot > 0 ? "snapshot at " + int(start.snapshot) : "the whole history"),
        number(int(start.events - start.snapshot) + " of " + int(start.events)),
        number(ms(start.micros / 1000))])));
}

/** Shows the members of a cluster, and after a new election what became of the commands. */
function showCluster(cluster, timeMs) {
    if ($("members").hidden) {
        $("members").hidden = false;
        $("killLeader").hidden = false;
        $("device").hidden = true;
        $("snapshotActions").hidden = true;
        show({
            groupLabel: "Events per message", chartGroupTitle: "Events per message",
            chartFsyncTitle: "Commands on their way",
            snapshotNote: "On a cluster each member keeps the journal, and the bank replays it at each start.",
            step5: "Kill the leader, too: the members elect another one, and the commands that wait get their answers then.",
        });
    }
    $("members").replaceChildren(...cluster.members.map((member) => {
        const tile = element("div", "", "tile");
        tile.dataset.role = member.role.toLowerCase();
        tile.append(
            element("span", "Member " + member.id, "label"), element("strong", tile.dataset.role),
            element("span", "event " + int(member.sequence) + ", lag " + int(member.lag), "note"));
        return tile;
    }));

    if (cluster.state !== "CONNECTED") {
        leaderlessSince ??= timeMs;
        connection("down", "no leader");
        return;
    }
    if (leader !== null && leader !== cluster.leaderId) {
        proveLeader(timeMs - (leaderlessSince ?? timeMs));
    }
    leader = cluster.leaderId;
    leaderlessSince = null;
}
