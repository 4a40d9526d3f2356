import { exposeAutomation, launchBrowser } from '../../support/browser.ts';
import { startVsCodeServer } from '../../support/vscode-server.ts';
import { patience } from '../../support/wait.ts';
import { collectProblems } from '../../support/workbench/problems.ts';
import type { HostEnd, HostRunOptions, Suite } from './host-run.ts';

const defaultTimeoutMs = 5 * 60_000 * patience;

/** Runs a suite in the extension host of VS Code's server, with its workbench in a browser. */
export async function inBrowser(options: HostRunOptions, suite: Suite): Promise<HostEnd> {
  const { extension, folder, settings = {}, env = {}, timeoutMs = defaultTimeoutMs } = options;
  const server = await startVsCodeServer({ automation: true, settings, env });
  try {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const problems = collectProblems(page);
      const ended = await new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => resolve(`not within ${timeoutMs / 1000} s`), timeoutMs);
        const end = (how: string): void => {
          clearTimeout(timer);
          resolve(how);
        };
        page.once('crash', () => end('the page crashed'));
        exposeAutomation(page, {
          onLog: (_type, args) => suite.take(args.map(String).join(' ')),
          onExit: (code) => end(`exit code ${code}`),
        })
          .then(() =>
            page.goto(
              server.workbenchUrl({
                folder,
                extensionDevelopmentPath: extension,
                extensionTestsPath: suite.file,
              }),
              { timeout: timeoutMs },
            ),
          )
          .catch(reject);
      });
      return { kind: 'ended', log: [ended, ...problems()].join('\n') };
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}
