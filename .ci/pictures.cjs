// Takes a picture of each page of a dashboard, in each width and color scheme, and as it is printed: arguments are the
// browser, the first URL, and the folder of the pictures.
'use strict';
const path = require('node:path');
const { chromium } = require('playwright-core');
const flags = require('./flags.cjs');

const [browserPath, firstUrl, folder] = process.argv.slice(2);
const origin = new URL(firstUrl).origin;

/** Returns the addresses of all kinds of pages, with a name for each. */
async function targetsOf(page) {
  const links = (selector) => page.locator(selector).evaluateAll((all) => all.map((a) => a.href));
  const targets = [];
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
  await page.goto(`${origin}/funnel`);
  const [members] = await links('table.board tbody a.count');
  targets.push(['members', members], ['duplicates', `${origin}/duplicates`], ['not-found', `${origin}/record?of=none`]);
  await page.goto(members);
  targets.push(['member', (await links('table.records tbody th a'))[0]]);
  return targets;
}

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  const page = await (await browser.newContext()).newPage();
  await page.goto(firstUrl);
  for (const [name, target] of await targetsOf(page)) {
    await page.goto(target);
    for (const width of [390, 1280, 1920]) {
      await page.setViewportSize({ width, height: Math.max(Math.round(width * 0.5625), 740) });
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ media: 'screen', colorScheme });
        await page.screenshot({ path: path.join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await page.setViewportSize({ width: 794, height: 1123 });
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    await page.screenshot({ path: path.join(folder, `${name}-print.png`) });
  }
  await browser.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
