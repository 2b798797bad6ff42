// The actions of the user: send commands, start the load, kill, rebuild a model, save snapshots.

import { $, busy, done, int, ms, onClick, show } from "./dom.js";
import * as load from "./load.js";
import { command, post, send } from "./sender.js";

const MAX_LAG = 50_000;

/** The last message of the stream, as the actions need it, and the process that was killed and is not back yet. */
export const state = { accounts: new Map(), lag: 0, isLive: false, killed: null };

let lastCommand = null;

export function start() {
    const form = $("command");
    form.addEventListener("change", showFields);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        submit(formCommand());
    });
    onClick("again", () => submit(lastCommand));
    showFields();

    onClick("load", () => load.isLoading() ? load.stop() : startLoad());
    setInterval(showLoad, 500);

    onClick("kill", () => kill("/api/kill", "killed"));
    onClick("killLeader", () => kill("/api/kill-leader", "leader killed"));
    action("rebuild", "rebuildNote", (answer) => {
        done("step4");
        return int(answer.events) + " events replayed in " + ms(answer.micros / 1000) + ", while the old one answered.";
    });
    action("snapshot", "snapshotNote", (answer) =>
        "Saved up to event " + int(answer.sequence) + " in " + ms(answer.micros / 1000) + ". " +
            (load.isLoading() ? "Stop the load before you kill the server and compare." : "Now kill the server."));
    action("prune", "snapshotNote", (answer) => answer.first === 1 ?
        "Nothing to prune yet: save two snapshots, and wait until every read model has passed them." :
        "History before event " + int(answer.first) + " is gone.");
}

// ---- the form

function showFields() {
    const type = new FormData($("command")).get("type");
    $("command").querySelectorAll("[data-for]").forEach((label) => {
        const isShown = label.dataset.for.split(" ").includes(type);
        label.hidden = !isShown;
        label.querySelector("input").disabled = !isShown;
    });
}

function formCommand() {
    const data = new FormData($("command"));
    const type = data.get("type");
    const accountId = Number(data.get("account"));
    const cents = Math.round(Number(data.get("amount")) * 100);
    const version = $("expect").checked ? state.accounts.get(accountId)?.version ?? 0 : null;
    switch (type) {
        case "open": return command({ type, accountId, owner: data.get("owner") });
        case "transfer": return command({ type, accountId, toAccountId: Number(data.get("to")), cents }, version);
        default: return command({ type, accountId, cents }, version);
    }
}

async function submit(request) {
    result("", "on its way …");
    const sentAt = performance.now();
    try {
        const [answer] = await send([request]);
        lastCommand = request;
        $("again").hidden = false;
        if (answer.result === "executed") {
            result("good", "Executed: event " + int(answer.sequence) + ", durable after " +
                ms(performance.now() - sentAt));
        } else if (answer.result === "repeated") {
            result("good", "Executed before: event " + int(answer.sequence) + ". Nothing was done twice.");
            done("step1");
        } else {
            result("bad", "Rejected: " + answer.message);
        }
    } catch (error) {
        result("bad", "Refused: " + error.message);
    }
}

function result(kind, text) {
    $("result").dataset.kind = kind;
    show({ result: text });
}

// ---- the load

export async function startLoad() {
    loadButton(true);
    try {
        await load.start(Number($("parallel").value), () => state.lag > MAX_LAG);
    } catch (error) {
        load.stop();
        show({ loadNote: "The load ended: " + error.message });
    }
    loadButton(false);
}

function loadButton(isOn) {
    $("load").setAttribute("aria-pressed", isOn);
    show({ load: isOn ? "Stop the load" : "Start the load" });
    $("parallel").disabled = isOn;
}

function showLoad() {
    if (load.isLoading()) {
        const figures = load.figures();
        show({
            loadAnswered: int(figures.answered), loadRate: state.isLive && figures.rate !== null ? int(figures.rate) : "–",
            p50: ms(figures.percentile(50)), p99: ms(figures.percentile(99)), p999: ms(figures.percentile(99.9)),
        });
        if (figures.answered > 0) {
            done("step2");
        }
    }
}

// ---- kill, rebuild, snapshot, prune

async function kill(path, text) {
    state.killed = path === "/api/kill" ? text : null;
    try {
        await post(path);
    } catch (error) {
        // A TypeError means that the server was killed before it could answer. Other errors mean that there is no
        // supervisor.
        if (!(error instanceof TypeError)) {
            state.killed = null;
            result("bad", error.message);
        }
    }
}

function action(name, note, describe) {
    onClick(name, async () => {
        busy($(name), true);
        try {
            show({ [note]: describe(await post("/api/" + name)) });
        } catch (error) {
            show({ [note]: "Not done: " + error.message });
        }
        busy($(name), false);
    });
}
