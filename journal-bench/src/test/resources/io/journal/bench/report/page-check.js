'use strict';
// Run at the end of a page with all its details open: what is wrong with it is left in document.body.dataset.faults.
(function () {
    const faults = window.faults;

    function checkCharts() {
        CHARTS.forEach((chart) => {
            const figure = document.querySelector('figure[data-chart="' + chart.name + '"]');
            const names = new Set(chart.panels.flatMap((panel) => panel.series.map((series) => series.name)));
            const buttons = [...figure.querySelectorAll('button[data-series]')];
            const missing = [...names].filter((name) => !buttons.some((button) => button.dataset.series === name));
            if (names.size > 1 && missing.length > 0) {
                faults.push(chart.name + ': no button for ' + missing);
            }
            if (!figure.dataset.drawn || !figure.querySelector('svg')) {
                faults.push(chart.name + ': not drawn');
            }
            if (!chart.isBars && chart.panels.some((panel) => panel.series.length > 6)) {
                faults.push(chart.name + ': more than six lines in a plot');
            }
        });
    }

    function checkKeyboard() {
        document.querySelectorAll('figure button[data-series]').forEach((button) => {
            button.focus();
            if (document.activeElement !== button) {
                faults.push('not reached by the keyboard: ' + button.dataset.series);
            }
        });
        const button = document.querySelector('figure button[data-series]');
        const plots = button && button.closest('figure').querySelector('.plots');
        const before = plots && plots.innerHTML;
        button && button.click();
        if (button && ('false' !== button.getAttribute('aria-pressed') || before === plots.innerHTML)) {
            faults.push('not hidden by its button: ' + button.dataset.series);
        }
    }

    async function check() {
        document.querySelectorAll('details').forEach((each) => each.open = true);
        checkCharts();
        checkKeyboard();
        // Thousands of rows are alike, and each cell takes its time.
        document.querySelectorAll('tr:nth-child(n+8)').forEach((row) => row.remove());
        // Of a chart, its label and its table are for a screen reader; the drawing is not.
        const found = await axe.run({ exclude: [['svg']] }, { resultTypes: ['violations'] });
        found.violations.filter((fault) => ['serious', 'critical'].includes(fault.impact)).forEach((fault) =>
            faults.push(fault.id + ': ' + fault.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))));
    }

    // The page unpacks its data first.
    const ready = new Promise((done) => {
        const look = () => document.body.dataset.ready ? done() : setTimeout(look, 20);
        look();
    });
    ready.then(check).catch((error) => faults.push(String(error))).then(() => {
        document.body.dataset.faults = faults.join(' | ');
        document.body.dataset.checked = 'true';
    });
}());
