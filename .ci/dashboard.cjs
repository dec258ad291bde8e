// The steps of `.ci/dashboard`. Arguments: the browser, the first URL, that of a dashboard with a reader, a folder for pictures.
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const { chromium } = require('playwright-core');
const { HtmlValidate } = require('html-validate');

const [browserPath, firstUrl, loginUrl, folder] = process.argv.slice(2);
// Chromium sends only the requests of the pages.
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
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

/** Returns the addresses of all kinds of pages, with a name for each. */
async function targetsOf(page) {
  const links = (selector) => page.locator(selector).evaluateAll((all) => all.map((a) => a.href));
  await page.goto(`${origin}/funnel`);
  const [members] = await links('table.board tbody a.count');
  const targets = [['members', members], ['duplicates', `${origin}/duplicates`]];
  targets.push(['addresses', `${origin}/addresses?${new URL(members).searchParams}`]);
  for (const target of await links('nav[aria-label="Pages"] a')) {
    const { pathname, searchParams } = new URL(target);
    const of = searchParams.get('of');
    const name = [pathname.slice(1) || 'today', of].filter(Boolean).join('-');
    targets.push([name, target]);
    if (pathname !== '/records') continue;
    await page.goto(target);
    targets.push([`record-${of}`, (await links('table.records tbody th a'))[0]]);
    targets.push([`${name}-search`, `${target}&q=an`], [`${name}-nothing`, `${target}&q=no-such-text`]);
  }
  await page.goto(members);
  targets.push(['member', (await links('table.records tbody th a'))[0]]);
  return targets;
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
  const browser = await chromium.launch({ executablePath: browserPath, args });
  // axe-core is a script; `bypassCSP` lets it run. The pages themselves have none.
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  // The first page of a large mirror counts.
  page.setDefaultTimeout(300_000);
  const messages = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  page.on('request', (request) => assert.equal(new URL(request.url()).origin, origin, 'a request beyond the origin'));

  await page.goto(firstUrl);
  assert.equal(page.url(), `${origin}/`);

  // A number of the funnel leads to as many people.
  await page.goto(`${origin}/funnel`);
  const first = page.locator('table.board tbody a.count').first();
  const count = Number((await first.innerText()).split(/\s/)[0]);
  await first.click();
  await page.waitForURL(/group=/);
  assert.equal(await page.locator('table.records tbody tr').count(), count);

  const targets = await targetsOf(page);
  for (const [name, target] of targets) {
    const response = await page.goto(target);
    assert.equal(response.status(), 200, target);
    assert.equal(await page.locator('script').count(), 0, target);
    await checkPage(page, target);
    await checkSource(await (await context.request.get(target)).text(), target);
    if (!folder) continue;
    await page.setViewportSize({ width: 1280, height: 740 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }
  assert.deepEqual(messages, []);
  await logIn(browser);
  await browser.close();
  console.log(`dashboard: ${targets.length} pages and the login without a violation`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
