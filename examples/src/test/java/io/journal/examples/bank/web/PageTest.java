// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.web;

import java.nio.file.Path;
import java.util.List;

import io.journal.examples.bank.run.Supervisor;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Follows the five steps that the page proposes, in a browser. */
@Tag("slow")
@Timeout(900)
class PageTest
{
    @TempDir
    Path tempDir;

    private Browser browser;

    @Test
    void tourOfTheBank() throws Exception
    {
        browser = Browser.start().orElse(null);
        Assumptions.assumeTrue(null != browser, "needs chromium and chromedriver on the PATH");
        try (Browser opened = browser; Supervisor supervisor = new Supervisor("--dir=" + tempDir, "--port=0"))
        {
            opened.open("http://127.0.0.1:" + supervisor.awaitReady(0) + "/");
            opened.await("document.getElementById('connection').dataset.state === 'live'");
            assertEquals(5L, opened.evaluate("document.querySelectorAll('.steps li').length"));

            executeCommands();
            rejectCommands();
            useTheKeyboard();
            rebuild();
            assertAccessible("light");
            assertEquals(List.of(), opened.errors());

            loadAndKill();
            saveAndKill();
            assertAccessible("dark");
            assertEquals(3, supervisor.starts());
        }
    }

    private void executeCommands() throws Exception
    {
        submit("open", "account=1;owner=Ada", "Executed: event 1,");
        submit("open", "account=2;owner=Grace", "Executed: event 2,");
        submit("deposit", "account=1;amount=250.50", "Executed: event 3,");
        submit("withdraw", "account=1;amount=0.50", "Executed: event 4,");
        submit("transfer", "account=1;to=2;amount=100", "Executed: event 5,");
        browser.await("document.getElementById('accounts').innerText.includes('€150.00')");
        browser.await("document.getElementById('accounts').innerText.includes('€100.00')");
        browser
            .await("document.getElementById('events').innerText.includes('€100.00 transferred from account 1 to 2')");
        browser.await("document.getElementById('money').textContent === '€250.00'");
        browser.await("document.getElementById('durable').textContent === '5'");
        browser.await("document.getElementById('models').rows.length === 3");
        browser.await("[...document.getElementById('models').rows].every((row) => row.cells[2].textContent === '0')");

        click("again");
        awaitText("result", "Executed before: event 5.");
        awaitDone(1);
    }

    private void rejectCommands() throws Exception
    {
        submit("withdraw", "account=2;amount=1000", "Rejected: Account 2 has €100.00, which is less than €1,000.00.");
        submit("deposit", "account=9;amount=1", "Rejected: There is no account 9.");
        click("expect");
        submit("withdraw", "account=1;amount=1", "Executed: event 6,");
        click("expect");
        browser.await("document.getElementById('money').textContent === '€249.00'");
    }

    /** Moves by tab from the field of the account to the button, and sends the command with a key. */
    private void useTheKeyboard() throws Exception
    {
        choose("deposit", "account=1;amount=1");
        browser.evaluate("document.getElementById('account').focus()");
        browser.press(Keys.TAB);
        assertEquals("amount", browser.evaluate("document.activeElement.id"));
        browser.press(Keys.TAB);
        assertEquals("send", browser.evaluate("document.activeElement.id"));
        browser.evaluate("document.getElementById('result').textContent = ''");
        browser.press(Keys.ENTER);
        awaitText("result", "Executed: event 7,");
        browser.await("document.getElementById('money').textContent === '€250.00'");
    }

    private void rebuild() throws Exception
    {
        click("rebuild");
        awaitText("rebuildNote", "7 events replayed");
        awaitDone(4);
    }

    private void loadAndKill() throws Exception
    {
        // This transfer is refused and has no result in the journal, so the checks after a kill must not wait for it.
        submit("transfer", "account=1;to=1;amount=1", "Refused: A transfer needs two accounts.");
        browser.evaluate("document.getElementById('parallel').value = '400'");
        click("load");
        browser.await("Number(document.getElementById('loadAnswered').textContent.replaceAll(',', '')) > 2000");
        browser.await("document.getElementById('p99').textContent.endsWith(' ms')");
        awaitDone(2);

        browser.evaluate("document.getElementById('kill').focus()");
        browser.press(Keys.ENTER);
        browser.await("document.getElementById('connection').dataset.state === 'down'");
        browser.await("['rate', 'group', 'chartRateNow', 'chartLagNow', 'loadRate'].every(" +
            "(id) => document.getElementById(id).textContent === '–')");
        assertEquals("kill", browser.evaluate("document.activeElement.id"));
        awaitVerdict();
        // The load opens 50 accounts with 10,000 each. Two of them were open already and got nothing.
        assertEquals("480,250.00", figure("money in the accounts"));
        assertEquals("480,250.00", figure("money in the ledger"));
        assertEquals("0", figure("missing"));
        awaitDone(3);
        assertEquals("kill", browser.evaluate("document.activeElement.id"));
    }

    private void saveAndKill() throws Exception
    {
        browser.await("document.getElementById('load').getAttribute('aria-pressed') === 'true'");
        click("load");
        browser.await("document.getElementById('load').getAttribute('aria-pressed') === 'false'");
        click("snapshot");
        awaitText("snapshotNote", "Saved up to event ");
        browser.evaluate("document.getElementById('proof').dataset.kind = ''");

        click("kill");
        awaitVerdict();
        browser.await("/^3\\ssnapshot at [\\d,]+\\s0 of [\\d,]+\\s/.test(" +
            "document.getElementById('starts').innerText)");
        awaitDone(5);
        // The only errors are the refused request, and requests while the server was down.
        assertEquals(
            List.of(), browser.errors().stream()
                .filter((error) -> !error.contains("net::ERR_") && !error.contains("status of 400")).toList());
    }

    private void submit(final String type, final String fields, final String expected) throws Exception
    {
        choose(type, fields);
        browser.evaluate("document.getElementById('result').textContent = ''");
        click("send");
        awaitText("result", expected);
    }

    private void choose(final String type, final String fields)
    {
        browser.evaluate("document.querySelector('[name=type][value=" + type + "]').click()");
        for (final String field : fields.split(";"))
        {
            final String[] parts = field.split("=");
            browser.evaluate("document.getElementById('" + parts[0] + "').value = '" + parts[1] + "'");
        }
    }

    private void click(final String id)
    {
        browser.evaluate("document.getElementById('" + id + "').click()");
    }

    private void awaitText(final String id, final String expected) throws Exception
    {
        browser.await("document.getElementById('" + id + "').textContent.startsWith('" + expected + "')");
    }

    private void awaitDone(final int step) throws Exception
    {
        browser.await("document.getElementById('step" + step + "').textContent.endsWith(' Done.')");
    }

    private void awaitVerdict() throws Exception
    {
        browser.await("['good', 'bad'].includes(document.getElementById('proof').dataset.kind)");
        assertEquals(
            "Nothing is lost, nothing is doubled.", browser.evaluate("document.getElementById('verdict').textContent"));
    }

    private Object figure(final String term)
    {
        return browser.evaluate(
            "[...document.querySelectorAll('#proofFigures dt')].find((dt) => dt.textContent === '" + term +
                "').nextSibling.textContent.replace('€', '')");
    }

    private void assertAccessible(final String scheme) throws Exception
    {
        for (final int width : new int[]{ 1280, 390 })
        {
            browser.show(width, scheme);
            assertEquals(List.of(), browser.faults(), width + " " + scheme);
            assertEquals(true, browser.evaluate("document.documentElement.scrollWidth <= innerWidth"));
        }
        browser.show(1280, scheme);
    }
}
