// The page: shows what the stream brings, sends what the form says, and checks after a kill that nothing is lost.

import { Chart } from "./charts.js";
import * as load from "./load.js";
import { audit, command, counts, post, send, settled, unanswered } from "./sender.js";

const SHOWN_EVENTS = 60;
const HIGHLIGHTED = 5;
const MAX_LAG = 50_000;

const $ = (id) => document.getElementById(id);
const integers = new Intl.NumberFormat("en");
const euros = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });
const int = (number) => integers.format(Math.round(number));
const money = (cents) => euros.format(cents / 100);
const ms = (number) => Number.isFinite(number) ? (number < 10 ? number.toFixed(1) : int(number)) + " ms" : "–";

const charts = {
    rate: new Chart($("chartRate"), ["durable"]),
    group: new Chart($("chartGroup"), ["commands"]),
    fsync: new Chart($("chartFsync"), ["mean"]),
    lag: new Chart($("chartLag"), ["accounts", "ledger", "turnover"]),
};

let pid = 0;
let last = null;
let accounts = new Map();
let shownEvents = [];
let lastCommand = null;
let leader = null;
let silentSince = null;

// ---- what the stream brings

const stream = new EventSource("api/stream");
stream.onmessage = (message) => show(JSON.parse(message.data));
stream.onerror = () => connection("down", "restarting");

function show(now) {
    connection("live", "process " + now.pid);
    if (pid !== now.pid) {
        const isRestart = pid !== 0;
        pid = now.pid;
        last = null;
        leader = null;
        silentSince = null;
        shownEvents = [];
        if (isRestart) {
            proveRestart();
        }
    }
    showEvents(now.events);
    showAccounts(now.accounts);
    showCounters(now);
    showModels(now.status);
    if (now.status.cluster) {
        showCluster(now.status.cluster, now.timeMs);
    }
    last = now;
}

/** Of a bank on a cluster: its members, and what became of the commands once there is another leader. */
function showCluster(cluster, timeMs) {
    $("members").hidden = false;
    $("killLeader").hidden = false;
    $("device").hidden = true;
    $("groupLabel").textContent = "Events per message";
    $("chartGroupTitle").textContent = "Events per message";
    $("chartFsyncTitle").textContent = "Commands on their way";
    const tiles = cluster.members.map((member) => {
        const tile = document.createElement("div");
        tile.className = "tile";
        tile.dataset.role = member.role.toLowerCase();
        tile.append(
            text("span", "Member " + member.id, "label"), text("strong", tile.dataset.role),
            text("span", "event " + int(member.sequence) + ", lag " + int(member.lag), "note"));
        return tile;
    });
    $("members").replaceChildren(...tiles);

    const isConnected = cluster.state === "CONNECTED";
    $("killLeader").disabled = !isConnected;
    if (!isConnected) {
        silentSince ??= timeMs;
        connection("down", "no leader");
        return;
    }
    if (leader !== null && leader !== cluster.leaderId) {
        prove("After the loss of the leader", [
            ["without a leader", ms(timeMs - (silentSince ?? timeMs))],
            ["waited for the new one", int(unanswered())],
        ]);
    }
    leader = cluster.leaderId;
    silentSince = null;
}

function showCounters(now) {
    const { counters, totals, pending } = now.status;
    $("durable").textContent = int(counters.durable);
    $("durableNote").textContent = int(pending) + " commands on their way";
    $("money").textContent = totals ? money(totals.balanceCents) : "–";
    $("moneyNote").textContent = !totals ? "the model of the accounts has failed" :
        totals.accounts === 1 ? "in 1 account" : "in " + int(totals.accounts) + " accounts";
    $("kept").textContent = int(counters.durable - counters.first + 1) + " from sequence " + int(counters.first);
    $("segments").textContent = int(counters.segments);
    $("fsyncs").textContent = int(counters.fsyncs);
    $("longest").textContent = ms(counters.longestFsyncNs / 1e6);
    if (!last) {
        return;
    }

    const before = last.status.counters;
    const seconds = Math.max(now.timeMs - last.timeMs, 1) / 1000;
    const events = counters.durable - before.durable;
    const fsyncs = counters.fsyncs - before.fsyncs;
    const rate = events / seconds;
    const group = fsyncs > 0 ? events / fsyncs : 0;
    const fsyncMs = fsyncs > 0 ? (counters.fsyncNs - before.fsyncNs) / fsyncs / 1e6 : 0;
    $("rate").textContent = int(rate);
    const isCluster = now.status.cluster !== null;
    $("rateNote").textContent = events === 0 ? "nothing happens" :
        int(fsyncs / seconds) + (isCluster ? " messages a second" : " fsyncs a second");
    $("group").textContent = events > 0 ? int(group) : "–";
    $("groupNote").textContent = isCluster ? "a majority has fsynced them" :
        events > 0 ? "an fsync takes " + ms(fsyncMs) : "group commit";
    const time = now.timeMs / 1000;
    const lags = now.status.models.map((model) => model.lag);
    charts.rate.add(time, [rate]);
    charts.group.add(time, [group]);
    charts.fsync.add(time, [isCluster ? pending : fsyncMs]);
    charts.lag.add(time, lags);
    $("chartRateNow").textContent = int(rate);
    $("chartGroupNow").textContent = int(group);
    $("chartFsyncNow").textContent = isCluster ? int(pending) : ms(fsyncMs);
    $("chartLagNow").replaceChildren(...now.status.models.map((model) => {
        const element = document.createElement("span");
        element.textContent = model.name + " " + int(model.lag);
        return element;
    }));
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
        const sequence = cell(int(event.sequence), "number");
        const isFresh = i < fresh.length && fresh.length <= HIGHLIGHTED;
        rows.push(row([sequence, cell(event.tag, "number"), cell(describe(event), "wide")], isFresh && "fresh"));
        const next = shownEvents[i + 1];
        if (next && next.sequence < event.sequence - 1) {
            const gap = cell("⋮  " + int(event.sequence - next.sequence - 1) + " events not shown", "gap");
            gap.colSpan = 3;
            rows.push(row([gap]));
        }
    });
    $("events").replaceChildren(...rows);
}

function describe(event) {
    switch (event.kind) {
        case "opened": return "account " + event.account + " opened for " + event.owner;
        case "transferred": return money(event.cents) + " from account " + event.account + " to " + event.to;
        case "deposited": return money(event.cents) + " deposited to account " + event.account;
        default: return money(event.cents) + " withdrawn from account " + event.account;
    }
}

function showAccounts(list) {
    accounts = new Map(list.map((account) => [account.accountId, account]));
    if (list.length) {
        $("accounts").replaceChildren(...list.map((account) => row([
            cell(account.accountId, "number"), cell(account.owner), cell(money(account.balanceCents), "number"),
            cell(int(account.version), "number")])));
    }
}

function showModels(status) {
    const places = { accounts: "in memory", ledger: "in SQLite", turnover: "another process" };
    $("models").replaceChildren(...status.models.map((model) => row([
        cell(model.name + ", " + places[model.name] + (model.failure && ": " + model.failure), "wide"),
        cell(int(model.sequence), "number"), cell(int(model.lag), "number"), cell(int(model.cursor), "number")])));
    $("starts").replaceChildren(...[...status.starts].reverse().map((start) => row([
        cell(start.number, "number"),
        cell(start.snapshot > 0 ? "snapshot at " + int(start.snapshot) : "the whole history"),
        cell(int(start.replayedEvents) + " events", "number"), cell(ms(start.durationUs / 1000), "number")])));
}

function cell(content, kind) {
    return text("td", content, kind);
}

function text(name, content, kind) {
    const element = document.createElement(name);
    element.textContent = content;
    element.className = kind ?? "";
    return element;
}

function row(cells, kind) {
    const element = document.createElement("tr");
    element.className = kind || "";
    element.append(...cells);
    return element;
}

function connection(state, text) {
    $("connection").dataset.state = state;
    if ($("connectionText").textContent !== text) {
        $("connectionText").textContent = text;
    }
    $("kill").disabled = state !== "live";
}

// ---- the form

const form = $("command");
form.addEventListener("change", showFields);
form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(command(fields()));
});
$("again").addEventListener("click", () => submit(lastCommand));
showFields();

function showFields() {
    const type = new FormData(form).get("type");
    form.querySelectorAll("[data-for]").forEach((label) => {
        const isShown = label.dataset.for.split(" ").includes(type);
        label.hidden = !isShown;
        label.querySelector("input").disabled = !isShown;
    });
}

function fields() {
    const data = new FormData(form);
    const command = { type: data.get("type"), account: Number(data.get("account")) };
    if (command.type === "open") {
        return { ...command, owner: data.get("owner") };
    }

    command.cents = Math.round(Number(data.get("amount")) * 100);
    if (command.type === "transfer") {
        command.to = Number(data.get("to"));
    }
    if ($("expect").checked) {
        command.expectedVersion = accounts.get(command.account)?.version ?? 0;
    }
    return command;
}

async function submit(request) {
    result("", "on its way …");
    const sentAt = performance.now();
    try {
        const [answer] = await send([request]);
        const time = ", durable after " + ms(performance.now() - sentAt);
        lastCommand = request;
        $("again").hidden = false;
        if (answer.result === "executed") {
            result("good", "Executed: event " + int(answer.sequence) + time);
        } else if (answer.result === "repeated") {
            result("good", "Executed before: event " + int(answer.sequence) + ". Nothing was done twice.");
        } else {
            result("bad", "Rejected: " + answer.message);
        }
    } catch (error) {
        result("bad", "Refused: " + error.message);
    }
}

function result(kind, text) {
    $("result").dataset.kind = kind;
    $("result").textContent = text;
}

// ---- the load

$("load").addEventListener("click", () => load.isLoading() ? load.stop() : startLoad());
setInterval(showLoad, 500);

async function startLoad() {
    loadButton(true);
    try {
        await load.start(Number($("parallel").value), () => last && last.status.models.some((m) => m.lag > MAX_LAG));
    } catch (error) {
        load.stop();
        $("loadNote").textContent = "The load ended: " + error.message;
    }
    loadButton(false);
}

function loadButton(isOn) {
    $("load").setAttribute("aria-pressed", isOn);
    $("load").textContent = isOn ? "Stop the load" : "Start the load";
    $("parallel").disabled = isOn;
}

function showLoad() {
    if (load.isLoading()) {
        const figures = load.figures();
        $("loadAnswered").textContent = int(figures.answered);
        $("loadRate").textContent = int(figures.rate);
        $("p50").textContent = ms(figures.percentile(50));
        $("p99").textContent = ms(figures.percentile(99));
        $("p999").textContent = ms(figures.percentile(99.9));
    }
}

// ---- the kill, and what must be there after it

$("kill").addEventListener("click", () => kill("api/kill", "killed"));
$("killLeader").addEventListener("click", () => kill("api/kill-leader", "leader killed"));

async function kill(path, state) {
    try {
        await post(path);
        connection("down", state);
    } catch (error) {
        // Killed before it could answer, or there is no supervisor to start it again.
        if (!(error instanceof TypeError)) {
            result("bad", error.message);
        }
    }
}

function proveRestart() {
    const before = counts.alreadyExecuted;
    const open = int(unanswered());
    prove("After the kill", [
        ["without an answer, sent again", open],
        ["of these executed before", () => int(counts.alreadyExecuted - before)],
    ]);
}

/** Some of the figures are known only once everything is answered. */
async function prove(title, answers) {
    $("proofTitle").textContent = title;
    $("proof").hidden = false;
    verdict("busy", "The bank is back. Looking for every answered command …");
    $("proofFigures").replaceChildren();
    const isLoading = load.isLoading();
    load.stop();
    try {
        await settled();
        const found = await whenCaughtUp(audit);
        const isWhole = found.once === found.asked && found.ledger.duplicates === 0;
        const total = await fetch("api/accounts?after=" + found.ledger.sequence).then((response) => response.json());
        const isSame = total.totals.balanceCents === found.ledger.totalCents;
        verdict(
            isWhole && isSame ? "good" : "bad",
            isWhole && isSame ? "Nothing is lost, nothing is doubled." : "Something is wrong.");
        figures([
            ["answered as executed", int(counts.executed)],
            ["found once, of the newest " + int(found.asked), int(found.once)],
            ["missing", int(found.missing)],
            ["executed twice, of all " + int(found.ledger.events), int(found.ledger.duplicates)],
            ...answers,
            ["money in the accounts", money(total.totals.balanceCents)],
            ["money in the ledger", money(found.ledger.totalCents)],
        ]);
    } catch (error) {
        verdict("busy", "The check was interrupted: " + error.message);
    }
    if (isLoading) {
        startLoad();
    }
}

/** The bank answers "busy" while its ledger is behind. */
async function whenCaughtUp(query) {
    for (;;) {
        try {
            return await query();
        } catch (error) {
            if (!error.message.endsWith("is behind")) {
                throw error;
            }
            verdict("busy", "The ledger is still reading the journal …");
        }
    }
}

function verdict(kind, text) {
    $("proof").dataset.kind = kind;
    $("verdict").textContent = text;
}

function figures(list) {
    $("proofFigures").replaceChildren(...list.map(([term, value]) => {
        const group = document.createElement("div");
        const dt = document.createElement("dt");
        const dd = document.createElement("dd");
        dt.textContent = term;
        dd.textContent = typeof value === "function" ? value() : value;
        group.append(dt, dd);
        return group;
    }));
}

// ---- models and snapshots

action("rebuild", "rebuildNote", (answer) =>
    int(answer.events) + " events replayed in " + ms(answer.durationUs / 1000) + ", while the old one answered.");
action("snapshot", "snapshotNote", (answer) =>
    "Saved up to event " + int(answer.sequence) + " in " + ms(answer.durationUs / 1000) + ": written, fsynced, renamed.");
action("prune", "snapshotNote", (answer) => answer.first === 1 ?
    "Nothing to prune: it takes two snapshots, and every cursor past them." :
    "History before event " + int(answer.first) + " is gone.");

function action(name, note, describe) {
    $(name).addEventListener("click", async () => {
        $(name).disabled = true;
        try {
            $(note).textContent = describe(await post("api/" + name));
        } catch (error) {
            $(note).textContent = "Not done: " + error.message;
        }
        $(name).disabled = false;
    });
}
