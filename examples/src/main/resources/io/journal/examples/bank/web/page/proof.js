// Checks after a kill that each answered command has one event, and that accounts and ledger hold the same money.

import { startLoad } from "./actions.js";
import { $, done, element, int, money, ms, show } from "./dom.js";
import * as load from "./load.js";
import { audit, counts, settled, unanswered } from "./sender.js";

export function proveRestart() {
    const before = counts.alreadyExecuted;
    const open = int(unanswered());
    prove("After the kill", "step3", () => [
        ["without an answer, sent again", open],
        ["of these executed before", int(counts.alreadyExecuted - before)],
    ]);
}

export function proveLeader(leaderlessMs) {
    const open = int(unanswered());
    prove("After the loss of the leader", "step5", () => [
        ["without a leader", ms(leaderlessMs)],
        ["waited for the new one", open],
    ]);
}

/** Pauses the load, because some figures are known only once every command is answered. */
async function prove(title, step, answers) {
    show({ proofTitle: title });
    $("proof").hidden = false;
    verdict("busy", "The bank is back. Looking for every answered command …");
    $("proofFigures").replaceChildren();
    const wasLoading = load.isLoading();
    load.stop();
    try {
        await settled();
        const found = await whenCaughtUp(audit);
        const accounts = await fetch("/api/accounts?after=" + found.events).then((response) => response.json());
        const isWhole = found.once === found.asked && found.duplicates === 0;
        const isSame = accounts.totals.cents === found.cents;
        verdict(
            isWhole && isSame ? "good" : "bad",
            isWhole && isSame ? "Nothing is lost, nothing is doubled." : "Something is wrong.");
        figures([
            ["answered as executed", int(counts.executed)],
            ["found once, of the newest " + int(found.asked), int(found.once)],
            ["missing", int(found.missing)],
            ["executed twice, of all " + int(found.events), int(found.duplicates)],
            ...answers(),
            ["money in the accounts", money(accounts.totals.cents)],
            ["money in the ledger", money(found.cents)],
        ]);
        if (wasLoading) {
            done(step);
        }
    } catch (error) {
        verdict("busy", "The check was interrupted: " + error.message);
    }
    if (wasLoading) {
        startLoad();
    }
}

/** Repeats a query as long as the bank refuses it because its ledger is behind. */
async function whenCaughtUp(query) {
    for (;;) {
        try {
            return await query();
        } catch (error) {
            if (!error.message.includes("is behind")) {
                throw error;
            }
            verdict("busy", "The ledger is still reading the journal …");
        }
    }
}

function verdict(kind, text) {
    $("proof").dataset.kind = kind;
    show({ verdict: text });
}

function figures(list) {
    $("proofFigures").replaceChildren(...list.map(([term, value]) => {
        const group = element("div", "");
        group.append(element("dt", term), element("dd", value));
        return group;
    }));
}
