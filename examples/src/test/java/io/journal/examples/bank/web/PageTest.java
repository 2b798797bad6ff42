package io.journal.examples.bank.web;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import io.journal.examples.bank.run.Supervisor;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Takes the tour of {@code examples/README.md} in a browser.
 */
@Timeout(900)
class PageTest
{
    private static final int ENTER = 13;
    private static final int TAB = 9;

    @TempDir
    Path tempDir;

    @Test
    void tourOfTheBank() throws Exception
    {
        final Path program = Browser.find().orElse(null);
        Assumptions.assumeTrue(null != program, "no Chromium or Chrome on the PATH");
        try (Supervisor supervisor = Supervisor.start(tempDir.resolve("bank"), 0, List.of());
            Browser browser = Browser.start(program, tempDir.resolve("profile")))
        {
            browser.open("http://127.0.0.1:" + supervisor.awaitReady(0) + "/");
            browser.await("document.getElementById('connection').dataset.state === 'live'");

            executeCommands(browser);
            rejectOverdraft(browser);
            useTheKeyboard(browser);
            rebuildAndSave(browser);
            assertAccessible(browser, "light");
            assertEquals(List.of(), browser.errors());

            loadAndKill(browser);
            assertAccessible(browser, "dark");
            assertEquals(2, supervisor.starts());
        }
    }

    private static void executeCommands(final Browser browser) throws Exception
    {
        submit(browser, "open", "account=1;owner=Ada", "Executed: event 1,");
        submit(browser, "open", "account=2;owner=Grace", "Executed: event 2,");
        submit(browser, "deposit", "account=1;amount=250.50", "Executed: event 3,");
        submit(browser, "transfer", "account=1;to=2;amount=100", "Executed: event 4,");
        submit(browser, "withdraw", "account=2;amount=0.50", "Executed: event 5,");
        browser.await("document.getElementById('accounts').innerText.includes('€150.50')");
        browser.await("document.getElementById('accounts').innerText.includes('€99.50')");
        browser.await("document.getElementById('events').innerText.includes('€100.00 from account 1 to 2')");
        browser.await("document.getElementById('money').textContent === '€250.00'");
        browser.await("document.getElementById('durable').textContent === '5'");
        browser.await("document.getElementById('models').rows.length === 3");
        browser.await("[...document.getElementById('models').rows].every((row) => row.cells[2].textContent === '0')");

        browser.evaluate("document.getElementById('again').click()");
        awaitResult(browser, "Executed before: event 5.");
    }

    private static void rejectOverdraft(final Browser browser) throws Exception
    {
        submit(browser, "withdraw", "account=2;amount=1000", "Rejected: not enough money");
        submit(browser, "deposit", "account=9;amount=1", "Rejected: no such account");
        browser.evaluate("document.getElementById('expect').checked = true");
        submit(browser, "withdraw", "account=1;amount=0.50", "Executed: event 6,");
        browser.evaluate("document.getElementById('expect').checked = false");
        browser.await("document.getElementById('money').textContent === '€249.50'");
    }

    /** From the field of the account to the button, and through it. */
    private static void useTheKeyboard(final Browser browser) throws Exception
    {
        choose(browser, "deposit", "account=1;amount=0.50");
        browser.evaluate("document.getElementById('account').focus()");
        browser.press("Tab", TAB);
        assertEquals("amount", browser.evaluate("document.activeElement.id").textValue());
        browser.press("Tab", TAB);
        assertEquals("send", browser.evaluate("document.activeElement.id").textValue());
        browser.evaluate("document.getElementById('result').textContent = ''");
        browser.press("Enter", ENTER);
        awaitResult(browser, "Executed: event 7,");
        browser.await("document.getElementById('money').textContent === '€250.00'");
    }

    private static void rebuildAndSave(final Browser browser) throws Exception
    {
        browser.evaluate("document.getElementById('rebuild').click()");
        browser.await("document.getElementById('rebuildNote').textContent.startsWith('7 events replayed')");
        browser.evaluate("document.getElementById('snapshot').click()");
        browser.await("document.getElementById('snapshotNote').textContent.startsWith('Saved up to event 7 ')");
    }

    private static void loadAndKill(final Browser browser) throws Exception
    {
        // Refused without a result: it is not waited for.
        submit(browser, "transfer", "account=1;to=1;amount=1", "Refused: transfer within one account");
        browser.evaluate("document.getElementById('parallel').value = '400'");
        browser.evaluate("document.getElementById('load').click()");
        browser.await("Number(document.getElementById('loadAnswered').textContent.replaceAll(',', '')) > 2000");
        browser.await("document.getElementById('p99').textContent.endsWith(' ms')");

        browser.evaluate("document.getElementById('kill').click()");
        browser.await("['good', 'bad'].includes(document.getElementById('proof').dataset.kind)");
        assertEquals(
            "Nothing is lost, nothing is doubled.",
            browser.evaluate("document.getElementById('verdict').textContent").textValue());
        // 50 accounts of the load with 10,000 each, but the two that were open got none.
        assertEquals("480,250.00", figure(browser, "money in the accounts"));
        assertEquals("480,250.00", figure(browser, "money in the ledger"));
        assertEquals("0", figure(browser, "missing"));
        browser.await("document.getElementById('starts').innerText.includes('snapshot at 7')");
        browser.evaluate("document.getElementById('load').click()");
        browser.await("document.getElementById('load').getAttribute('aria-pressed') === 'false'");
        // Nothing but the request that was refused, and those that met a server that was not there.
        assertEquals(
            List.of(), browser.errors().stream()
                .filter((error) -> !error.contains("net::ERR_") && !error.contains("status of 400")).toList());
    }

    private static void submit(
        final Browser browser, final String type, final String fields, final String expected) throws Exception
    {
        choose(browser, type, fields);
        browser.evaluate("document.getElementById('result').textContent = ''");
        browser.evaluate("document.getElementById('send').click()");
        awaitResult(browser, expected);
    }

    private static void choose(final Browser browser, final String type, final String fields) throws Exception
    {
        browser.evaluate("document.querySelector('[name=type][value=" + type + "]').click()");
        for (final String field : fields.split(";"))
        {
            final String[] parts = field.split("=");
            browser.evaluate("document.getElementById('" + parts[0] + "').value = '" + parts[1] + "'");
        }
    }

    private static void awaitResult(final Browser browser, final String expected) throws Exception
    {
        browser.await("document.getElementById('result').textContent.startsWith('" + expected + "')");
    }

    private static String figure(final Browser browser, final String term) throws Exception
    {
        return browser.evaluate(
            "[...document.querySelectorAll('#proofFigures dt')].find((dt) => dt.textContent === '" + term +
                "').nextSibling.textContent.replace('€', '')")
            .textValue();
    }

    private static void assertAccessible(final Browser browser, final String scheme) throws Exception
    {
        try (InputStream script = PageTest.class.getResourceAsStream("/axe.min.js"))
        {
            browser.evaluate(new String(script.readAllBytes(), UTF_8) + "; 0");
        }
        for (final int width : new int[]{ 1280, 390 })
        {
            browser.show(width, 900, scheme);
            final JsonNode faults = browser.evaluate(
                "axe.run().then((found) => found.violations.filter((fault) => ['serious', 'critical', 'moderate']" +
                    ".includes(fault.impact)).map((fault) => fault.id + ': ' + fault.nodes.map((node) => node.html)))");
            assertTrue(faults.isEmpty(), () -> width + " " + scheme + ": " + faults);
            assertTrue(browser.evaluate("document.documentElement.scrollWidth <= innerWidth").booleanValue());
        }
    }
}
