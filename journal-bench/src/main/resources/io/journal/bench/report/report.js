'use strict';
// Unpacks the chart library and the data, then draws every figure with a data-chart from the description of that name.
// Colours denote families of cases, the same in every chart: the palette of Okabe and Ito, which is safe for
// colour-blind readers.
async function unpacked(id) {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (each) => each.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}

function start(CHARTS) {
    const BY_NAME = new Map(CHARTS.map((chart) => [chart.name, chart]));
    const LIGHT = ['#0072b2', '#b34700', '#007a5a', '#a03a78', '#8a6400', '#4f5d6b', '#1c2126', '#5d3a9b'];
    const DARK = ['#56b4e9', '#f0904f', '#2fc297', '#dd8fbd', '#e0b13c', '#a9b2bc', '#e8ebee', '#b9a3ff'];
    // Position of "no buffer" on a logarithmic axis: 0.1 kB, as in the article.
    const NO_BUFFER = 102.4;
    const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'pin', 'roundRect', 'arrow'];
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    const isDark = () => scheme.matches && !document.body.classList.contains('printing');
    const drawn = [];
    const errors = [];
    window.addEventListener('error', (event) => {
        errors.push(event.message);
        document.body.dataset.errors = errors.join('; ');
    });

    function theme(isDark) {
        return isDark ? { ink: '#e8ebee', faint: '#a9b2bc', rule: '#323a43', paper: '#171b20', colours: DARK } :
            { ink: '#1c2126', faint: '#565f69', rule: '#dfe3e7', paper: '#ffffff', colours: LIGHT };
    }

    function colour(series, look) {
        return look.colours[Number(series.family.charAt(0)) - 1];
    }

    function number(value) {
        const size = Math.abs(value);
        if (size >= 1e6) {
            return number(value / 1e6) + ' M';
        }
        const decimals = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return value.toLocaleString('en-US', { maximumFractionDigits: decimals });
    }

    function bytes(length) {
        for (const [power, unit] of [[30, 'GiB'], [20, 'MiB'], [10, 'KiB']]) {
            if (length >= 2 ** power) {
                return number(length / 2 ** power) + ' ' + unit;
            }
        }
        return NO_BUFFER === length ? 'none' : length + ' B';
    }

    function percent(place) {
        const value = 100 * (1 - 10 ** -place);
        return String(Number(value.toPrecision(Math.max(2, Math.ceil(place) + 1))));
    }

    function range(chart, point) {
        const divisor = chart.y.divisor;
        return number(point.y / divisor) + (point.low < point.high ?
            ' [' + number(point.low / divisor) + '..' + number(point.high / divisor) + ']' : '');
    }

    const place = { PERCENTILE: (x) => -Math.log10(1 - x / 100), BYTES: (x) => x || NO_BUFFER };
    const label = { BYTES: bytes, PERCENTILE: percent };

    function axis(description, look, extra) {
        return Object.assign({
            axisLine: { lineStyle: { color: look.faint } },
            axisLabel: { color: look.faint, hideOverlap: true, formatter: number },
            splitLine: { lineStyle: { color: look.rule } },
            nameTextStyle: { color: look.faint }
        }, extra);
    }

    // A whisker between the extremes, of bars along x and of points along y.
    function whiskers(points, isBars, tint) {
        return {
            type: 'custom', silent: true, z: 5, data: points, encode: isBars ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
            renderItem(params, api) {
                const at = (value) => isBars ? api.coord([value, api.value(0)]) : api.coord([api.value(0), value]);
                const [from, to] = [at(api.value(1)), at(api.value(2))];
                const cap = isBars ? [0, 4] : [4, 0];
                const line = (a, b) => ({ type: 'line', shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] },
                    style: { stroke: tint, lineWidth: 1.4 } });
                const end = (p) => line([p[0] - cap[0], p[1] - cap[1]], [p[0] + cap[0], p[1] + cap[1]]);
                return { type: 'group', children: [line(from, to), end(from), end(to)] };
            }
        };
    }

    function bars(chart, panel, state, look, width) {
        const rows = [...new Set(panel.series.map((each) => each.name))].filter((name) => !state.hidden.has(name));
        const divisor = chart.y.divisor;
        const isNarrow = width < 420;
        const shown = panel.series.filter((each) => !state.hidden.has(each.name));
        const measured = shown.filter((each) => !each.isPublished);
        const published = [...new Set(shown.filter((each) => each.isPublished).map((each) => each.family))];
        const series = [{
            type: 'bar', barMaxWidth: isNarrow ? 12 : 16,
            data: measured.map((each) => ({
                value: [each.points[0].y / divisor, rows.indexOf(each.name)], description: range(chart, each.points[0]),
                name: each.name, itemStyle: { color: colour(each, look) }
            }))
        }, whiskers(measured.map((each) => [rows.indexOf(each.name), each.points[0].low / divisor,
            each.points[0].high / divisor]), true, look.ink)];
        published.forEach((source, i) => series.push({
            type: 'scatter', name: source, symbol: SYMBOLS[(i + 3) % SYMBOLS.length], symbolSize: 9, z: 6,
            itemStyle: { color: look.paper, borderColor: look.faint, borderWidth: 1.6 },
            data: shown.filter((each) => each.isPublished && each.family === source).map((each) => ({
                value: [each.points[0].y / divisor, rows.indexOf(each.name)], name: each.name + ', ' + source,
                description: range(chart, each.points[0]) }))
        }));
        const longest = Math.min(width * 0.4, 22 + 6.8 * Math.max(...rows.map((row) => row.length)));
        const values = rows.map((row) => measured.filter((each) => each.name === row)
            .map((each) => range(chart, each.points[0])).join());
        // On a phone a name and its value stand above their bar, where they have the whole width.
        const names = isNarrow ? { formatter: (name, i) => name + (values[i] ? ': ' + values[i] : ''), inside: true, margin: 2,
            align: 'left', verticalAlign: 'bottom', padding: [0, 0, 11, 0], width: width - 16, overflow: 'truncate' } :
            { width: longest - 12, overflow: 'break', lineHeight: 12 };
        return {
            pixels: 50 + (isNarrow ? 42 : 28) * rows.length, series,
            grid: isNarrow ? { left: 8, right: 24, top: 6, bottom: 40 } : { left: longest,
                right: 12 + 6.6 * Math.max(...values.map((each) => each.length)), top: 6, bottom: 40 },
            xAxis: axis(chart.y, look, { type: 'log' === state.scale ? 'log' : 'value', max: state.most(chart, divisor),
                splitNumber: isNarrow ? 2 : 3,
                name: chart.y.title, nameLocation: 'middle', nameGap: 24 }),
            yAxis: [axis(null, look, { type: 'category', data: rows, inverse: true, splitLine: { show: false },
                axisTick: { show: false },
                axisLabel: { color: look.ink, fontSize: 11, interval: 0, hideOverlap: false, ...names } }),
            axis(null, look, { type: 'category', data: values, inverse: true, show: !isNarrow, position: 'right',
                axisLine: { show: false }, axisTick: { show: false }, splitLine: { show: false },
                axisLabel: { color: look.ink, fontSize: 11, interval: 0 } })]
        };
    }

    function lines(chart, panel, state, look, width) {
        const divisor = chart.y.divisor;
        const toPlace = place[chart.x.scale] || ((x) => x);
        const isLog = 'log' === state.scale;
        const series = [];
        // The buttons above name the lines as well, where there is no room at their ends.
        const longest = 12 + 6.6 * Math.max(...panel.series.map((each) => each.name.length));
        const isNamed = width > 560 && longest < width * 0.35;
        panel.series.forEach((each, i) => {
            if (state.hidden.has(each.name)) {
                return;
            }
            const same = panel.series.slice(0, i).filter((other) => other.family === each.family).length;
            const tint = each.isPublished ? look.faint : colour(each, look);
            const isCurve = 'PERCENTILE' === chart.x.scale;
            series.push({
                type: 'line', name: each.name, symbol: SYMBOLS[i % SYMBOLS.length], symbolSize: isCurve ? 4 : 7,
                showSymbol: !isCurve, color: tint, emphasis: { focus: 'series' },
                lineStyle: { color: tint, width: 2,
                    type: each.isPublished ? 'dotted' : ['solid', 'dashed', 'dotted'][same % 3] },
                itemStyle: each.isPublished ? { color: look.paper, borderColor: tint, borderWidth: 1.5 } : { color: tint },
                endLabel: { show: isNamed, formatter: '{a}', color: tint, fontSize: 11, distance: 6 },
                labelLayout: { moveOverlap: 'shiftY' },
                data: each.points.map((point) => ({ value: [toPlace(point.x), point.y / divisor],
                    description: range(chart, point) }))
            });
            const wide = each.points.filter((point) => point.low < point.high);
            if (wide.length > 0 && !each.isPublished) {
                series.push(whiskers(wide.map((point) => [toPlace(point.x), point.low / divisor,
                    point.high / divisor]), false, tint));
            }
        });
        const all = panel.series.flatMap((each) => each.points.map((point) => toPlace(point.x)));
        return {
            pixels: 300, series,
            grid: { left: 64, right: isNamed ? longest : 24, top: 30, bottom: 44 },
            dataZoom: [{ type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: true }],
            xAxis: axis(chart.x, look, {
                type: 'BYTES' === chart.x.scale ? 'log' : 'value', logBase: 2, min: Math.min(...all), max: Math.max(...all),
                minInterval: 'COUNT' === chart.x.scale ? 1 : undefined, splitLine: { show: false },
                interval: 'PERCENTILE' === chart.x.scale ? 1 : undefined,
                name: chart.x.title, nameLocation: 'middle', nameGap: 26,
                axisLabel: { color: look.faint, hideOverlap: true, formatter: label[chart.x.scale] }
            }),
            yAxis: axis(chart.y, look, { type: isLog ? 'log' : 'value', max: state.most(chart, divisor),
                name: chart.y.title + (isLog ? ', logarithmic' : ''), nameTextStyle: { color: look.faint, align: 'left' },
                nameGap: 12 })
        };
    }

    function option(chart, panel, state, look, width) {
        const { pixels, ...drawing } = (chart.isBars ? bars : lines)(chart, panel, state, look, width);
        const options = Object.assign({
            animation: false, backgroundColor: look.paper,
            textStyle: { fontFamily: 'system-ui, -apple-system, Roboto, Arial, sans-serif' },
            aria: { enabled: true, label: { description: describe(chart, panel) } },
            tooltip: { trigger: 'item', confine: true, formatter: (item) => {
                const text = document.createElement('span');
                text.textContent = (item.name || item.seriesName) + ': ' + item.data.description + ' ' + chart.y.title;
                return text.outerHTML;
            } }
        }, drawing);
        return { pixels, options };
    }

    function describe(chart, panel) {
        return chart.title + (panel.title ? ', ' + panel.title : '') + '. ' + panel.series.map((each) =>
            each.name + ' ' + range(chart, each.points[each.points.length - 1])).join('; ') + ', in ' + chart.y.title;
    }

    function names(chart) {
        const all = new Map();
        chart.panels.forEach((panel) => panel.series.forEach((each) => all.has(each.name) || all.set(each.name, each)));
        return all;
    }

    function button(text, isPressed, act) {
        const made = document.createElement('button');
        made.type = 'button';
        made.textContent = text;
        made.setAttribute('aria-pressed', isPressed);
        made.addEventListener('click', act);
        return made;
    }

    function newState(chart) {
        return { hidden: new Set(), scale: 'LOG' === chart.y.scale ? 'log' : 'linear', zoom: 0,
            most(of, divisor) {
                return this.zoom > 0 ? this.zoom / divisor : null;
            } };
    }

    function controls(chart, state, redraw) {
        const box = document.createElement('div');
        box.className = 'controls';
        const look = theme(isDark());
        if (names(chart).size > 1) {
            const series = chart.isBars ? folded('Cases', () => {}) : box;
            names(chart).forEach((each, name) => {
                const made = button(name, true, () => {
                    state.hidden.has(name) ? state.hidden.delete(name) : state.hidden.add(name);
                    made.setAttribute('aria-pressed', !state.hidden.has(name));
                    redraw();
                });
                made.dataset.series = name;
                made.style.setProperty('--tint', each.isPublished ? look.faint : colour(each, look));
                series.append(made);
            });
            // The rows of bars name themselves.
            series === box || box.append(series);
        }
        const log = button('logarithmic', 'log' === state.scale, () => {
            state.scale = 'log' === state.scale ? 'linear' : 'log';
            log.setAttribute('aria-pressed', 'log' === state.scale);
            redraw();
        });
        box.append(log);
        const zooms = chart.y.zooms.map((zoom) => button(zoom > 0 ? 'up to ' + zoom + ' ' + chart.y.title : 'all',
            0 === zoom, () => {
                state.zoom = zoom;
                zooms.forEach((each, i) => each.setAttribute('aria-pressed', chart.y.zooms[i] === zoom));
                redraw();
            }));
        box.append(...zooms);
        return box;
    }

    function folded(title, open) {
        const details = document.createElement('details');
        const summary = document.createElement('summary');
        summary.textContent = title;
        details.append(summary);
        details.addEventListener('toggle', () => details.open && open(details));
        return details;
    }

    function table(chart) {
        const rows = document.createElement('table');
        const titles = rows.createTHead().insertRow();
        ['plot', 'case', chart.x.title || 'at', 'median [min..max]'].forEach((title) => {
            const cell = document.createElement('th');
            cell.scope = 'col';
            cell.textContent = title;
            titles.append(cell);
        });
        const body = rows.createTBody();
        chart.panels.forEach((panel) => panel.series.forEach((series) => series.points.forEach((point) => {
            const row = body.insertRow();
            const x = chart.isBars ? '' : (label[chart.x.scale] || number)(
                (place[chart.x.scale] || ((value) => value))(point.x));
            [panel.title, series.name + (series.isPublished && chart.isBars ? ', ' + series.family : ''), x,
                range(chart, point) + ' ' + chart.y.title].forEach((text) => {
                row.insertCell().textContent = text;
            });
        })));
        return folded('Values', (details) => rows.isConnected || details.append(rows));
    }

    function draw(figure) {
        const chart = BY_NAME.get(figure.dataset.chart);
        if (!chart || figure.dataset.drawn) {
            return;
        }
        figure.dataset.drawn = 'true';
        const caption = document.createElement('figcaption');
        caption.innerHTML = '<b></b> <span class="faint"></span>';
        caption.firstChild.textContent = figure.dataset.titled ? '' : chart.title;
        caption.lastChild.textContent = chart.subtitle;
        const state = newState(chart);
        const plots = document.createElement('div');
        plots.className = 'plots';
        const redraw = () => {
            const look = theme(isDark());
            panels.forEach(({ panel, element }) => {
                const { pixels, options } = option(chart, panel, state, look, element.clientWidth || 480);
                element.style.height = pixels + 'px';
                const plot = echarts.getInstanceByDom(element) || echarts.init(element, null, { renderer: 'svg' });
                plot.resize();
                plot.setOption(options, true);
            });
        };
        figure.append(caption, controls(chart, state, redraw), plots, table(chart));
        const panels = chart.panels.slice(0, figure.dataset.panels).map((panel) => {
            const box = document.createElement('div');
            const title = document.createElement('h4');
            title.textContent = panel.title;
            const element = document.createElement('div');
            element.setAttribute('role', 'img');
            element.setAttribute('aria-label', describe(chart, panel));
            box.append(title, element);
            plots.append(box);
            return { panel, element };
        });
        redraw();
        drawn.push(redraw);
    }

    function figures() {
        return [...document.querySelectorAll('figure[data-chart]')];
    }

    // The images of the documents: one plot each, with its headline number, on no background and in colours that suit
    // light and dark pages.
    function images() {
        const look = { ink: '#7d8790', faint: '#7d8790', rule: '#7d879040', paper: 'transparent',
            colours: ['#3a8ed0', '#c8702f', '#2a9d7c', '#c08a20', '#a06a90', '#8a939c', '#8a939c', '#8a70d0'] };
        CHARTS.filter((chart) => chart.image).forEach((chart) => {
            const panel = chart.panels[0];
            const { pixels, options } = option(chart, panel, newState(chart), look, 720);
            const ours = panel.series.filter((each) => /journal|mapped|channel|direct/i.test(each.name))
                .flatMap((each) => each.points).map((point) => point.y);
            options.title = { text: number(Math.max(...ours) / chart.y.divisor) + ' ' + chart.y.title,
                subtext: chart.title, textStyle: { fontSize: 22, color: '#3a8ed0' },
                subtextStyle: { fontSize: 12, color: look.faint }, itemGap: 16 };
            // There is no element to be labelled.
            options.aria = { enabled: false };
            options.grid.top += 64;
            if (!chart.isBars) {
                options.series.forEach((each) => each.endLabel && (each.endLabel.show = false));
                options.legend = { bottom: 0, data: panel.series.map((each) => each.name),
                    textStyle: { color: look.ink } };
                options.grid.right = 24;
                options.grid.bottom += 30;
            }
            const plot = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 720, height: pixels + (chart.isBars ? 64 : 94) });
            plot.setOption(options);
            const made = document.createElement('pre');
            made.dataset.image = chart.image;
            made.textContent = plot.renderToSVGString();
            document.body.append(made);
            plot.dispose();
        });
    }

    function openTarget() {
        let target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
        for (let element = target; element; element = element.parentElement) {
            if ('DETAILS' === element.tagName) {
                element.open = true;
            }
        }
        target && target.scrollIntoView();
    }

    if ('?images' === location.search) {
        images();
    } else if ('?all' === location.search) {
        document.querySelectorAll('details').forEach((each) => each.open = true);
        figures().forEach(draw);
    } else {
        const seen = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting)
            .forEach((entry) => draw(entry.target)), { rootMargin: '600px' });
        figures().forEach((figure) => seen.observe(figure));
    }
    const redrawAll = () => drawn.forEach((redraw) => redraw());
    scheme.addEventListener('change', redrawAll);
    window.addEventListener('resize', redrawAll);
    // On paper nothing can be opened: what is claimed and how it was measured is.
    let opened = [];
    window.addEventListener('beforeprint', () => {
        document.body.classList.add('printing');
        opened = [...document.querySelectorAll('#claims, #method')].filter((each) => !each.open);
        opened.forEach((each) => each.open = true);
        figures().filter((figure) => figure.getClientRects().length > 0).forEach(draw);
        redrawAll();
    });
    window.addEventListener('afterprint', () => {
        document.body.classList.remove('printing');
        opened.forEach((each) => each.open = false);
        redrawAll();
    });
    window.addEventListener('hashchange', openTarget);
    openTarget();
    document.body.dataset.ready = 'true';
}

Promise.all(['echarts', 'charts'].map(unpacked)).then(([library, charts]) => {
    const script = document.createElement('script');
    script.textContent = library;
    document.head.append(script);
    window.CHARTS = JSON.parse(charts);
    start(window.CHARTS);
}).catch((error) => {
    document.body.dataset.errors = String(error);
});
