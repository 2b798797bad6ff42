// Draws each chart of `charts` into an SVG image: small plots in two columns.
const WIDTH = 1000;
const COLUMNS = 2;
const TITLE_HEIGHT = 50;
const BAR_HEIGHT = 22;
const BAR_LENGTH = 235;
const LINES_HEIGHT = 180;
const COLOURS = { ours: "#1f6feb", peer: "#e08a1e", plain: "#9aa0a6" };
const LINE_COLOURS = ["#1f6feb", "#12805c", "#e08a1e"];

function number(value) {
    if (value >= 1e6) {
        return (value / 1e6).toPrecision(3).replace(/\.?0+$/, "") + " M";
    }
    return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(2)));
}

function height(panel) {
    return panel.isBars ? panel.categories.length * BAR_HEIGHT : LINES_HEIGHT;
}

function whiskers(series, panel, index) {
    return {
        type: "custom", xAxisIndex: index, yAxisIndex: index, z: 5, silent: true,
        encode: panel.isBars ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
        data: series.values.map((value, i) => value && [i, value.min, value.max]).filter(Boolean),
        renderItem(params, api) {
            const at = (value) => panel.isBars ? api.coord([value, api.value(0)]) : api.coord([api.value(0), value]);
            const [a, b] = [at(api.value(1)), at(api.value(2))];
            return { type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style: { stroke: "#333", lineWidth: 1 } };
        }
    };
}

function barSeries(series, panel, index) {
    const limit = Math.max(...series.values.map((value) => value.max));
    return [{
        type: "bar", xAxisIndex: index, yAxisIndex: index, barWidth: "70%",
        data: series.values.map((value, i) => ({
            value: value.median, itemStyle: { color: COLOURS[series.groups[i]] },
            label: { show: true, position: [value.max / limit * BAR_LENGTH + 6, 2], formatter: number(value.median) }
        }))
    }, whiskers(series, panel, index)];
}

function lineSeries(series, panel, index, order) {
    return [{
        type: "line", name: series.name, xAxisIndex: index, yAxisIndex: index, symbolSize: 6,
        color: LINE_COLOURS[order], data: series.values.map((value) => value ? value.median : null)
    }, whiskers(series, panel, index)];
}

function option(chart) {
    const result = {
        animation: false, backgroundColor: "#fff", grid: [], xAxis: [], yAxis: [], series: [],
        title: [{ text: chart.title, left: 10, top: 8, textStyle: { fontSize: 16 } }]
    };
    const lines = chart.panels.filter((panel) => !panel.isBars);
    if (lines.length > 0) {
        result.legend = { data: lines[0].series.map((series) => series.name), right: 10, top: 10 };
    }
    let top = TITLE_HEIGHT;
    chart.panels.forEach((panel, index) => {
        const column = index % COLUMNS;
        const left = column * WIDTH / COLUMNS;
        const category = {
            type: "category", data: panel.categories, gridIndex: index, inverse: panel.isBars, axisTick: { show: false },
            axisLabel: { interval: 0, fontSize: 11 }
        };
        const value = {
            type: "value", min: 0, gridIndex: index, splitNumber: 3, axisLabel: { formatter: number, fontSize: 11 },
            splitLine: { show: !panel.isBars }, show: !panel.isBars
        };
        result.title.push({ text: panel.title, left: left + 10, top: top, textStyle: { fontSize: 12, fontWeight: "normal" } });
        result.grid.push({
            left: left + (panel.isBars ? 165 : 60), top: top + 24, width: panel.isBars ? BAR_LENGTH : 400, height: height(panel)
        });
        result.xAxis.push(panel.isBars ? Object.assign(value, { max: "dataMax" }) : category);
        result.yAxis.push(panel.isBars ? category : value);
        panel.series.forEach((series, order) =>
            result.series.push(...(panel.isBars ? barSeries : lineSeries)(series, panel, index, order)));
        if (column === COLUMNS - 1 || index === chart.panels.length - 1) {
            const row = chart.panels.slice(index - column, index + 1);
            top += Math.max(...row.map(height)) + 70;
        }
    });
    return [result, top];
}

for (const chart of charts) {
    const [options, total] = option(chart);
    const drawing = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: total });
    drawing.setOption(options);
    const image = document.createElement("pre");
    image.dataset.image = chart.name;
    image.textContent = drawing.renderToSVGString();
    document.documentElement.append(image);
}
