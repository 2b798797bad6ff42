// Helpers for elements, numbers and tables.

const integers = new Intl.NumberFormat("en");
const euros = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });

export const $ = (id) => document.getElementById(id);
export const int = (number) => integers.format(Math.round(number));
export const money = (cents) => euros.format(cents / 100);
export const ms = (number) => Number.isFinite(number) ? (number < 10 ? number.toFixed(1) : int(number)) + " ms" : "–";

/** Sets the texts of elements, by their ids. */
export function show(texts) {
    for (const [id, content] of Object.entries(texts)) {
        if ($(id).textContent !== String(content)) {
            $(id).textContent = content;
        }
    }
}

export function element(name, content, kind) {
    const made = document.createElement(name);
    made.textContent = content;
    made.className = kind ?? "";
    return made;
}

export function row(cells, kind) {
    const made = element("tr", "", kind);
    made.append(...cells);
    return made;
}

export const cell = (content, kind) => element("td", content, kind);
export const number = (content) => cell(typeof content === "number" ? int(content) : content, "number");

/** Marks a button as busy. A disabled button would lose the focus, a busy button keeps it. */
export function busy(button, isBusy) {
    button.setAttribute("aria-disabled", isBusy);
}

export function onClick(id, action) {
    $(id).addEventListener("click", () => $(id).getAttribute("aria-disabled") !== "true" && action());
}

/** Marks a step of the tour. */
export function done(step) {
    if (!$(step).classList.contains("done")) {
        $(step).classList.add("done");
        $(step).append(element("span", " Done.", "mark"));
    }
}
