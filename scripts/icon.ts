/** Draws `media/icon.png` from `media/icon.svg`: `node scripts/icon.ts`. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { launchBrowser } from '../test/support/browser.ts';
import { projectRoot } from '../test/support/cache.ts';

const size = 128;

const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: size, height: size }, deviceScaleFactor: 2 });
  const svg = await readFile(path.join(projectRoot, 'media/icon.svg'), 'utf8');
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
  const png = await page.screenshot({ omitBackground: true });
  await writeFile(path.join(projectRoot, 'media/icon.png'), png);
} finally {
  await browser.close();
}
