import * as vscode from 'vscode';
import type { BlockingCall } from '../../contract/harbor.ts';
import type { FolderDeployments } from './folder-deployments.ts';

/** Shows diagnostics at lines of code that blocked the event loop, until the graphs are loaded again. */
export class BlockingCalls implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('agent-harbor-blocking');
  readonly #subscription: vscode.Disposable;
  #shown = '';

  constructor(deployments: FolderDeployments) {
    this.#subscription = deployments.onDidChange(() => void this.#follow(deployments));
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#collection.dispose();
  }

  async #follow(deployments: FolderDeployments): Promise<void> {
    const calls = (await deployments.list()).flatMap(({ config }) => {
      const runtime = deployments.liveOf(config.uri.fsPath)?.runtime;
      return runtime?.state === 'ready' ? (runtime.blocking ?? []) : [];
    });
    const shown = JSON.stringify(calls);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#collection.clear();
    for (const [file, inFile] of Map.groupBy(calls, (call) => call.file))
      this.#collection.set(vscode.Uri.file(file), inFile.map(diagnosticOf));
  }
}

function diagnosticOf({ line, advice }: BlockingCall): vscode.Diagnostic {
  const row = Math.max(0, line - 1);
  // The whole line: VS Code shortens the range to the end of the line.
  const range = new vscode.Range(row, 0, row, Number.MAX_SAFE_INTEGER);
  const diagnostic = new vscode.Diagnostic(range, advice, vscode.DiagnosticSeverity.Warning);
  diagnostic.source = 'Agent Harbor';
  return diagnostic;
}
