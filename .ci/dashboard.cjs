// The steps of `.ci/dashboard`: arguments are the browser, the first URL, and that of a dashboard with a reader.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { chromium } = require('playwright-core');
const { HtmlValidate } = require('html-validate');
const flags = require('./flags.cjs');

const [browserPath, firstUrl, loginUrl] = process.argv.slice(2);
const origin = new URL(firstUrl).origin;
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const html = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: { 'no-trailing-whitespace': 'off', 'long-title': 'off', 'doctype-style': 'off' },
});

/** Checks the page that is open with axe-core, in both schemes of colors and some widths. */
async function checkPage(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const width of [360, 1280, 2560]) {
      await page.setViewportSize({ width, height: Math.max(Math.round(width * 0.6), 740) });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${name} is wider than ${width}`);
      if (width === 2560) continue;
      await page.evaluate(axe);
      const { violations } = await page.evaluate('axe.run()');
      const found = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' | ')}`);
      assert.deepEqual(found, [], `${name} ${width} ${colorScheme}`);
    }
  }
}

/** Checks the source of a page with html-validate. */
async function checkSource(text, name) {
  const report = await html.validateString(text);
  const found = report.results.flatMap((one) => one.messages.map((m) => `${m.ruleId} ${m.line}: ${m.message}`));
  assert.deepEqual(found, [], name);
}

/** Logs in with the keyboard only, once with a wrong password. */
async function logIn(browser) {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  const login = `${new URL(loginUrl).origin}/login?to=%2Ffunnel`;
  await page.goto(login);
  for (const password of ['wrong', 'correct-horse-battery']) {
    await checkPage(page, 'the login');
    await checkSource(await page.content(), 'the login');
    await page.keyboard.type('ana');
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    const [response] = await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    assert.equal(response.status(), password === 'wrong' ? 401 : 200);
  }
  assert.equal(new URL(page.url()).pathname, '/funnel');
  await page.getByRole('link', { name: 'Log out' }).click();
  assert.equal(new URL(page.url()).pathname, '/login');
}

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  // axe-core is a script; `bypassCSP` lets it run. The pages themselves are tested without scripts below.
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  const messages = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => assert.equal(new URL(request.url()).origin, origin, 'a request beyond the origin'));

  await page.goto(firstUrl);
  assert.equal(page.url(), `${origin}/`);
  const again = await (await browser.newContext()).request.get(firstUrl);
  assert.equal(again.status(), 403, 'the first URL works once');

  // From the funnel to a member of a group.
  await page.goto(`${origin}/funnel`);
  const first = page.locator('table.board tbody a.count').first();
  const count = Number((await first.innerText()).split(/\s/)[0]);
  await first.click();
  await page.waitForURL(/group=/);
  const group = page.url();
  assert.equal(await page.locator('table.records tbody tr').count(), count);
  const member = page.locator('table.records tbody th a').first();
  const name = await member.innerText();
  await member.click();
  await page.waitForURL(/\/record\?/);
  assert.equal(await page.locator('h1').innerText(), name);

  // Every page of the navigation, and one record of each list.
  const targets = await page.locator('nav[aria-label="Pages"] a').evaluateAll((all) => all.map((a) => a.href));
  for (const list of targets.filter((target) => target.includes('/records'))) {
    await page.goto(list);
    targets.push(await page.locator('table.records tbody th a').first().evaluate((a) => a.href));
  }
  targets.push(group, `${origin}/duplicates`, `${targets.find((target) => target.includes('/records'))}&q=no-such-text`);
  for (const target of targets) {
    const response = await page.goto(target);
    assert.equal(response.status(), 200, target);
    await checkPage(page, target);
    await checkSource(await (await context.request.get(target)).text(), target);
  }
  assert.deepEqual(messages, []);

  // The same pages without scripts.
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
  const plainPage = await plain.newPage();
  await plainPage.goto(`${origin}/funnel`);
  await plainPage.locator('table.board tbody a.count').first().click();
  assert.match(plainPage.url(), /\/records\?/);
  await logIn(browser);
  await browser.close();
  console.log(`dashboard: ${targets.length} pages and the login without a violation`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
