// The load: a few requests at a time, each with many transfers, so that thousands are on their way.

import { command, send } from "./sender.js";

const WORKERS = 4; // A browser opens six connections to a server. The stream takes one, the form another one.
const ACCOUNTS = 50;
const OPENING_CENTS = 1_000_000;
const WINDOW_MS = 5_000;
const PAUSE_MS = 50;

let isRunning = false;
let answered = 0;

/** The batches answered in the last seconds: time, number of commands, milliseconds until the answer. */
let recent = [];

export function isLoading() {
    return isRunning;
}

/** Runs until it is stopped; pauses while the read side is too far behind. */
export async function start(parallel, isBehind) {
    isRunning = true;
    answered = 0;
    recent = [];
    await openAccounts();
    const workers = Array.from({ length: WORKERS }, () => work(parallel / WORKERS, isBehind));
    await Promise.all(workers);
}

export function stop() {
    isRunning = false;
}

export function figures() {
    const now = performance.now();
    recent = recent.filter((batch) => now - batch.at < WINDOW_MS);
    const count = recent.reduce((sum, batch) => sum + batch.count, 0);
    const span = recent.length ? Math.max(now - recent[0].at, 250) : 1; // unused if no batch was answered
    const sorted = [...recent].sort((a, b) => a.ms - b.ms);
    return { answered, rate: count > 0 ? count * 1000 / span : null, percentile: (p) => percentile(sorted, count, p) };
}

async function work(size, isBehind) {
    while (isRunning) {
        if (isBehind()) {
            await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
            continue;
        }
        const transfers = Array.from({ length: size }, transfer);
        const sentAt = performance.now();
        await send(transfers);
        const now = performance.now();
        answered += size;
        recent.push({ at: now, count: size, ms: now - sentAt });
    }
}

async function openAccounts() {
    const commands = [];
    for (let account = 1; account <= ACCOUNTS; account++) {
        commands.push(command({ type: "open", accountId: account, owner: "Customer " + account }));
    }
    const results = await send(commands);
    const deposits = results
        .map((result, i) => ({ result, account: i + 1 }))
        .filter(({ result }) => result.status === 200)
        .map(({ account }) => command({ type: "deposit", accountId: account, cents: OPENING_CENTS }));
    if (deposits.length) {
        await send(deposits);
    }
}

function transfer() {
    const account = 1 + Math.floor(Math.random() * ACCOUNTS);
    const to = 1 + (account + Math.floor(Math.random() * (ACCOUNTS - 1))) % ACCOUNTS;
    return command({ type: "transfer", accountId: account, toAccountId: to, cents: 1 + Math.floor(Math.random() * 5_000) });
}

function percentile(sorted, count, p) {
    let rest = count * p / 100;
    for (const batch of sorted) {
        rest -= batch.count;
        if (rest <= 0) {
            return batch.ms;
        }
    }
    return sorted.length ? sorted[sorted.length - 1].ms : NaN;
}
