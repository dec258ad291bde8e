// Takes a picture of each whole page of a dashboard, in each width and color scheme, and as it is printed: arguments are the
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
  targets.push(['members', members], ['duplicates', `${origin}/duplicates`], ['addresses', `${origin}/addresses?${new URL(members).searchParams}`], ['not-found', `${origin}/record?of=none`]);
  await page.goto(members);
  targets.push(['member', (await links('table.records tbody th a'))[0]]);
  return targets;
}

async function main() {
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  const page = await (await browser.newContext()).newPage();
  // The first page of a large mirror counts.
  page.setDefaultTimeout(300_000);
  await page.goto(firstUrl);
  for (const [name, target] of await targetsOf(page)) {
    const views = [390, 1280, 1920].flatMap((width) => [[width, 'light'], [width, 'dark']]);
    for (const [width, colorScheme] of [...views, [794, 'print']]) {
      await page.setViewportSize({ width, height: 740 });
      await page.emulateMedia(colorScheme === 'print' ? { media: 'print', colorScheme: 'light' } : { media: 'screen', colorScheme });
      // Each view is a new page: after a change of the width, Chromium wraps some columns in another way.
      await page.goto(target);
      await page.screenshot({ path: path.join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
  await browser.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
