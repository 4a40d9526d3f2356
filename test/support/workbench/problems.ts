import { inspect } from 'node:util';
import type { ConsoleMessage, Page } from 'playwright-core';

/**
 * Errors that this build of VS Code causes itself, with their reasons. Errors of extensions do not belong
 * here.
 */
const ownNoise: readonly RegExp[] = [
  // Native modules whose install scripts are not run, such as the watchdog and telemetry's device id.
  /Cannot find module '\.\/build\/Release\//,
  // A proprietary signing module that no open build has.
  /\/node_modules\/vsda\//,
  // code-server's own service worker and update check, served by a part of it that does not run here.
  /_static\/out\/browser\/serviceWorker\.js/,
  /A bad HTTP response code \(404\) was received when fetching the script/,
  /\/update\/check/,
  // Half of the key that seals its secrets, requested from a part of code-server that does not run here; the other half
  // is enough.
  /\/mint-key/,
  /Method Not Allowed[\s\S]*\.getServerKeyPart \(/,
  // The web workbench logs this on every reload.
  /\[lifecycle\] Long running operations during shutdown/,
  /Unable to (read|write) file '.*' \(Canceled: Canceled\)/,
  // Its own log and settings, kept in the browser's database, which a reload closes while they are in use.
  /Unable to (read|write) file 'vscode-log:/,
  /IndexedDB database 'vscode-web-db' is closed/,
  /InvalidStateError: Failed to execute 'abort' on 'IDBTransaction'[\s\S]*\/workbench\.js:/,
  // Work that the workbench cancels when it disposes of one of its parts, such as a view or a window.
  /^(?:Uncaught )?Canceled: Canceled\n\s+at [^\n]*\/workbench\.js:/,
  /^Error: Throttler is disposed\n\s+at [^\n]*\/workbench\.js:/,
  // A webview that is disposed of while the workbench fills it; the workbench's own page around it no longer
  // finds it.
  /^Uncaught Error: Found unexpected null\n\s+at assertIsDefined \([^\n]*\/webview\/browser\/pre\/index\.html/,
  // Its own search for instructions to assistants, given up by a reload.
  /^Failed to resolve files at location: \S+ Canceled: Canceled/,
  /^Failed snippets from folder '\S+' Canceled: Canceled/,
  // Its own account features, on a slow machine.
  /Timed out waiting for authentication provider/,
  // Its own settings being saved, such as for another theme, on a slow machine.
  /Aborted onWillSaveTextDocument-event/,
  // Its TypeScript support, whose server this build does not have.
  /tsserver/,
  /^An unknown error occurred\. Please consult the log for more details\.$/,
  // The network view of its JavaScript debugger, which queries a process that has just begun or is about to end.
  /format: 'Networking not available\.'/,
  // Its variables view, when a scope unfolds while the paused process is drawn again.
  /TreeError \[VariablesView\] Data tree node not found: scope:/,
  // code-server's own entry on the welcome page.
  /_static\/src\/browser\/media\//,
  // A view that is laid out before it is drawn, when a setting changes the title bar.
  /Splitview: Failed to layout view/,
  /Cannot read properties of undefined[\s\S]*\.layoutBody \(/,
];

/** In lines. */
const MAX_STACK_LINES = 12;

/**
 * Collects the errors of a page and all its frames, including webviews: errors on the console, among them
 * those of the extension host, and uncaught exceptions. VS Code's own errors are left out.
 */
export function collectProblems(page: Page): () => string[] {
  const problems: string[] = [];
  let last = '';
  const add = (text: string): void => {
    // Lines that the extension host prints arrive twice, by the log and by the console.
    if (text === last || ownNoise.some((noise) => noise.test(text))) return;
    last = text;
    problems.push(text.split('\n').slice(0, MAX_STACK_LINES).join('\n'));
  };
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    const text = plainText(message);
    // An error object is only a reference; its contents must be fetched from the page.
    if (text.includes('__errorMarker')) readErrors(message).then(add, () => add(text));
    else add(text);
  });
  page.on('pageerror', (error) => add(`Uncaught ${error.stack ?? error.message}`));
  return () => [...problems];
}

/** The arguments of a console message as text, including the contents of objects. */
async function readErrors(message: ConsoleMessage): Promise<string> {
  const values = await Promise.all(message.args().map((argument) => argument.jsonValue()));
  return values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ');
}

/** A console message without the color codes that VS Code writes, and with the address when a request failed. */
function plainText(message: ConsoleMessage): string {
  const text = message
    .text()
    .replace(/%c/g, '')
    .replace(/^\s*ERR color: #f33 /, '')
    .replace(/( color:( \w+)?)+\s*$/, '')
    .trim();
  return text.startsWith('Failed to load resource') ? `${text}: ${message.location().url}` : text;
}
