// The last minute, as four small charts.

const WINDOW_S = 60;
const HEIGHT = 130;

const dark = matchMedia("(prefers-color-scheme: dark)");

export class Chart {
    constructor(element, series) {
        this.element = element;
        this.series = series;
        this.data = [[], ...series.map(() => [])];
        this.draw();
        new ResizeObserver(() => this.plot.setSize(this.size())).observe(element);
        dark.addEventListener("change", () => this.draw());
    }

    add(time, values) {
        this.data[0].push(time);
        values.forEach((value, i) => this.data[i + 1].push(value));
        while (this.data[0].length > 2 && this.data[0][0] < time - WINDOW_S) {
            this.data.forEach((column) => column.shift());
        }
        this.plot.setData(this.data);
        this.plot.setScale("x", { min: time - WINDOW_S, max: time });
    }

    draw() {
        const style = getComputedStyle(document.documentElement);
        const color = (name) => style.getPropertyValue(name).trim();
        const axis = {
            stroke: color("--soft"),
            grid: { stroke: color("--line"), width: 1 },
            ticks: { show: false },
            font: "12px system-ui, sans-serif",
        };
        this.plot?.destroy();
        this.plot = new uPlot({
            ...this.size(),
            padding: [8, 16, 0, 0],
            legend: { show: false },
            cursor: { show: false },
            scales: { x: { time: false }, y: { range: (plot, min, max) => [0, Math.max(max * 1.1, 1)] } },
            axes: [
                { ...axis, size: 22, values: (plot, splits) => splits.map((s) => label(s, plot)), splits: times },
                { ...axis, size: 46, space: 32, values: (plot, splits) => splits.map(short) },
            ],
            series: [{}, ...this.series.map((name, i) => ({
                label: name,
                stroke: color("--series-" + (i + 1)),
                fill: this.series.length === 1 ? color("--wash") : undefined,
                width: 2,
                points: { show: false },
            }))],
        }, this.data, this.element);
    }

    size() {
        return { width: Math.max(this.element.clientWidth, 120), height: HEIGHT };
    }
}

function times(plot, axis, min, max) {
    return [max - 60, max - 40, max - 20, max];
}

function label(time, plot) {
    const ago = Math.round(plot.scales.x.max - time);
    return ago === 0 ? "now" : ago === 60 ? "" : "−" + ago + " s";
}

function short(value) {
    return value >= 1e6 ? value / 1e6 + "M" : value >= 1e3 ? value / 1e3 + "k" : String(value);
}
