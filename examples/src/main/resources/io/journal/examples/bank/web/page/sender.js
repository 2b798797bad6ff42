// Sends commands, and remembers which were executed. A command that gets no answer is sent again with the same id once
// the bank is back: the id keeps it from being executed twice.

const REMEMBERED = 200_000;
const AUDIT_CHUNK = 10_000;
const RETRY_MS = 300;

/** Ids of the newest executed commands, in a ring. Each must have exactly one event in the journal. */
const executed = [];
let nextSlot = 0;

/** Batches that got no answer yet. */
const waiting = new Set();

export const counts = { executed: 0, alreadyExecuted: 0 };

/** Sends commands as one batch until it is answered; returns the results. Throws if the batch is refused. */
export async function send(commands) {
    const batch = { commands, isRepeat: false };
    waiting.add(batch);
    try {
        for (;;) {
            const results = await attempt(batch);
            if (results) {
                results.forEach((result) => note(result, batch.isRepeat));
                return results;
            }
            batch.isRepeat = true;
            await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
    } finally {
        waiting.delete(batch);
    }
}

export function command(fields, expectedVersion) {
    return { id: crypto.randomUUID(), command: fields, expectedVersion: expectedVersion ?? null };
}

export function unanswered() {
    let count = 0;
    waiting.forEach((batch) => { count += batch.commands.length; });
    return count;
}

/** Waits until every batch that was sent has an answer. */
export async function settled() {
    while (waiting.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

/** Asks the bank how many events the remembered commands have. */
export async function audit() {
    const ids = [...new Set(executed)];
    const sum = { asked: 0, once: 0, missing: 0, repeated: 0 };
    for (let i = 0; i < ids.length; i += AUDIT_CHUNK) {
        const found = await post("/api/audit", ids.slice(i, i + AUDIT_CHUNK));
        sum.asked += Math.min(AUDIT_CHUNK, ids.length - i);
        sum.once += found.once;
        sum.missing += found.missing;
        sum.repeated += found.repeated;
    }
    const response = await fetch("/api/ledger");
    const ledger = await response.json();
    if (!response.ok) {
        throw new Error(ledger.message);
    }
    return { ...sum, ...ledger };
}

/** Posts JSON; an answer that is an error becomes an exception. */
export async function post(path, body) {
    const response = await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body ?? {}),
    });
    const answer = await response.json();
    if (!response.ok) {
        throw new Error(answer.message);
    }
    return answer;
}

/** Returns null if there was no answer, or if the answer asks to try again. */
async function attempt(batch) {
    try {
        const results = await post("/api/batch", batch.commands);
        return results.some((result) => result.status >= 500) ? null : results;
    } catch (error) {
        if (error instanceof TypeError || error instanceof SyntaxError) {
            return null; // The connection broke, or the bank is not back yet.
        }
        throw error;
    }
}

function note(result, isRepeat) {
    counts.alreadyExecuted += isRepeat && result.result === "repeated" ? 1 : 0;
    if (result.status === 200) {
        counts.executed++;
        executed[nextSlot] = result.id;
        nextSlot = (nextSlot + 1) % REMEMBERED;
    }
}
