import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { z } from 'zod';
import { CodeToColor, type ColoredSpan } from '../code-colors/code-to-color.ts';
import { ActionableError, type ErrorAction, type ErrorReporter, sentenceOf } from '../dialogs/errors.ts';
import {
  ACT,
  Act,
  COLOR_CODE,
  type HostMessage,
  LOG_ERROR,
  type OpenFolder,
  PageError,
  type PanelKey,
  WebviewRequest,
} from './webview-rpc.ts';

/** The requests of a webview: their parameters as zod schemas. */
type RequestSchemas = Readonly<Record<string, z.ZodType>>;

export type RequestHandlers<Schemas extends RequestSchemas> = {
  readonly [Method in keyof Schemas]: (params: z.output<Schemas[Method]>) => Promise<unknown> | unknown;
};

interface WebviewHostOptions<Schemas extends RequestSchemas> {
  readonly panel: vscode.WebviewPanel;
  readonly extensionUri: vscode.Uri;
  /** Names the bundle in `dist/webviews` and the panel in the log. */
  readonly bundle: string;
  /** The attributes that the page finds in `document.body.dataset`. */
  readonly data: Readonly<Record<string, string>>;
  readonly schemas: Schemas;
  readonly handlers: RequestHandlers<Schemas>;
  readonly errors: ErrorReporter;
}

/**
 * The extension's side of a webview panel: creates its document, and checks and answers its requests. The
 * content security policy lets the document load only the panel's own bundle and the icons, and run only the
 * bundle.
 */
export class WebviewHost<Event, Schemas extends RequestSchemas> {
  readonly #options: WebviewHostOptions<Schemas>;
  readonly #subscriptions: vscode.Disposable;
  #isDisposed = false;
  /** The stack of the page's error that was logged last, or its message without a stack. */
  #loggedError: string | undefined;
  /** The last failure, and the actions that it offers. */
  #failure: { readonly id: number; readonly actions: readonly ErrorAction[] } | undefined;

  constructor(options: WebviewHostOptions<Schemas>) {
    this.#options = options;
    const { panel, extensionUri } = options;
    panel.webview.options = { enableScripts: true, localResourceRoots: [bundles(extensionUri)] };
    this.#subscriptions = vscode.Disposable.from(
      panel.onDidDispose(() => this.dispose()),
      panel.webview.onDidReceiveMessage((message) => void this.#receive(message)),
    );
    panel.webview.html = this.#html();
  }

  send(events: readonly Event[]): void {
    this.#post({ kind: 'events', events });
  }

  /** Stops communication; the visible content stays. */
  dispose(): void {
    this.#isDisposed = true;
    this.#subscriptions.dispose();
  }

  /** Sends the webview a key, or an item of its context menu. */
  press(key: PanelKey): void {
    this.#post({ kind: 'press', key });
  }

  async #receive(message: unknown): Promise<void> {
    const { schemas, handlers, errors, bundle } = this.#options;
    const request = WebviewRequest.safeParse(message);
    if (!request.success) {
      errors.log(request.error, `${bundle} panel, message`);
      return;
    }
    const { id, method, params } = request.data;
    try {
      if (method === ACT) {
        await this.#act(Act.parse(params));
        this.#post({ kind: 'answer', id });
        return;
      }
      if (method === COLOR_CODE) {
        this.#post({ kind: 'answer', id, result: await this.#colorCode(CodeToColor.parse(params)) });
        return;
      }
      if (method === LOG_ERROR) {
        this.#logError(PageError.parse(params));
        this.#post({ kind: 'answer', id });
        return;
      }
      const schema = Object.hasOwn(schemas, method) ? schemas[method] : undefined;
      if (schema === undefined) throw new Error(`The panel asked for ${method}, which does not exist.`);
      // The schema and the handler of a method belong together by their types.
      const read = schema.safeParse(params);
      if (!read.success) throw new Error(refusal(read.error));
      const result: unknown = await handlers[method as keyof Schemas](read.data as never);
      this.#post({ kind: 'answer', id, result });
    } catch (error) {
      // After disposal, nobody waits for the answer.
      if (this.#isDisposed) return;
      errors.log(error, `${bundle} panel, ${method}`);
      const actions = error instanceof ActionableError ? error.actions : [];
      this.#failure = { id, actions };
      const titles = actions.map(({ title }) => title);
      this.#post({ kind: 'failure', id, message: sentenceOf(error), actions: titles });
    }
  }

  async #act({ failure, action: index }: z.output<typeof Act>): Promise<void> {
    const action = this.#failure?.id === failure ? this.#failure.actions[index] : undefined;
    if (action !== undefined)
      await vscode.commands.executeCommand(action.command, ...(action.arguments ?? []));
  }

  /** Logs an error of the page; one that is repeated, such as at each token of an answer, only once. */
  #logError({ message, stack }: PageError): void {
    const place = stack ?? message;
    if (place === this.#loggedError) return;
    this.#loggedError = place;
    const { errors, bundle } = this.#options;
    errors.log(Object.assign(new Error(message), { stack }), `${bundle} panel, page`);
  }

  /**
   * Colors code. If that fails, for example because of a broken grammar, the code is shown without colors.
   */
  async #colorCode(code: CodeToColor): Promise<readonly ColoredSpan[]> {
    const { errors, bundle } = this.#options;
    try {
      const { colorCode } = await import('../code-colors/color-code.ts');
      return await colorCode(code);
    } catch (error) {
      errors.debug(error, `${bundle} panel, color ${code.language}`);
      return [];
    }
  }

  #post(message: HostMessage<Event>): void {
    if (!this.#isDisposed) void this.#options.panel.webview.postMessage(message);
  }

  #html(): string {
    const { panel, extensionUri, bundle, data } = this.#options;
    const { webview } = panel;
    const nonce = randomBytes(16).toString('base64');
    const uri = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(bundles(extensionUri), file));
    const policy = [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src ${webview.cspSource}`,
      `font-src ${webview.cspSource}`,
      // Only images that messages contain; nothing is loaded from the network.
      'img-src data: blob:',
    ].join('; ');
    const strings =
      vscode.l10n.bundle === undefined ? {} : { 'l10n-bundle': JSON.stringify(vscode.l10n.bundle) };
    const folders = (vscode.workspace.workspaceFolders ?? []).map(
      ({ name, uri }): OpenFolder => ({ name, path: uri.fsPath }),
    );
    const attributes = Object.entries({ ...data, folders: JSON.stringify(folders), ...strings })
      .map(([name, value]) => `data-${name}="${escapeAttribute(value)}"`)
      .join(' ');
    return `<!DOCTYPE html>
<html lang="${escapeAttribute(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeAttribute(panel.title)}</title>
<link rel="stylesheet" id="vscode-codicon-stylesheet" href="${uri('codicon.css')}">
<link rel="stylesheet" href="${uri(`${bundle}.css`)}">
</head>
<body ${attributes}>
<script nonce="${nonce}" src="${uri(`${bundle}.js`)}"></script>
</body>
</html>`;
  }
}

/** The problem with a request's parameters, in a sentence. */
function refusal({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join('.') ?? '';
  return field === ''
    ? vscode.l10n.t('Internal error: unknown request.')
    : vscode.l10n.t('“{0}” does not have a valid value.', field);
}

function bundles(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webviews');
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
