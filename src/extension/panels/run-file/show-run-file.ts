import * as vscode from 'vscode';
import { type ErrorReporter, sentenceOf } from '../../dialogs/errors.ts';
import type { OpenedFiles } from '../../documents/opened-files.ts';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { watchFile } from '../../documents/watch-file.ts';
import { showFrame } from '../../graphs/show-source.ts';
import { describeGraph } from '../../run-files/describe-contents.ts';
import {
  type Span,
  type TraceEvent,
  type TraceHead,
  TracePanelState,
  tracePanelRequests,
} from '../trace/messages.ts';
import { FIRST_PAGE, PAGE_SIZE } from '../trace/span-pages.ts';
import { WebviewHost } from '../webview-host.ts';
import { RunFileTrace } from './run-file-trace.ts';

export interface RunFileEditorParts {
  readonly extensionUri: vscode.Uri;
  readonly documents: ReadOnlyDocuments;
  readonly files: OpenedFiles;
  readonly errors: ErrorReporter;
}

/**
 * Shows a run file in an editor as a thread and its trace, and shows it again when it changes. The file is
 * only read: no server is involved, and nothing is run.
 */
export function showRunFile(
  panel: vscode.WebviewPanel,
  uri: vscode.Uri,
  parts: RunFileEditorParts,
): WebviewHost<TraceEvent, typeof tracePanelRequests> {
  const { extensionUri, documents, files, errors } = parts;
  let trace = new RunFileTrace(uri.fsPath);
  const state = TracePanelState.parse({ version: 1, connection: 'file', trace_id: uri.toString() });
  const host = new WebviewHost<TraceEvent, typeof tracePanelRequests>({
    panel,
    extensionUri,
    bundle: 'trace',
    data: { state: JSON.stringify(state) },
    schemas: tracePanelRequests,
    errors,
    handlers: {
      ready: async () => {
        const reading = new RunFileTrace(uri.fsPath);
        trace = reading;
        try {
          for await (const spans of pagesOf(reading.readSpans())) {
            // If the file has changed, it is being read again.
            if (trace !== reading) return headOf(reading);
            host.send([{ type: 'spans', spans }]);
          }
          host.send([{ type: 'loaded' }]);
        } catch (error) {
          if (trace !== reading) return headOf(reading);
          errors.log(error, 'run file, read');
          host.send([{ type: 'failed', message: sentenceOf(error) }]);
        }
        return headOf(reading);
      },
      span: ({ run_id }) => trace.readDetails(run_id),
      places: () => ({ source: undefined, has_thread: false }),
      feedback: refuse,
      deleteFeedback: refuse,
      openThread: refuse,
      openSource: refuse,
      runNode: refuse,
      openFrame: showFrame,
      openSpan: async ({ run_id, name }) => documents.showValue(name, await trace.readPayload(run_id)),
      openJson: ({ title, value }) => documents.showValue(title, value),
      openFile: (file) => files.open(file),
      copy: ({ text }) => vscode.env.clipboard.writeText(text),
      copyId: ({ run_id }) => vscode.env.clipboard.writeText(run_id),
      showLog: async () => {
        await vscode.commands.executeCommand('agentHarbor.showLog');
      },
    },
  });
  const watcher = watchFile(uri, () => host.send([{ type: 'reset' }]));
  panel.onDidDispose(() => watcher.dispose());
  return host;
}

function headOf({ head, requestCount }: RunFileTrace): TraceHead {
  const requests =
    requestCount === 1
      ? vscode.l10n.t('1 request')
      : vscode.l10n.t('{0} requests', requestCount.toLocaleString());
  const facts = head === undefined ? [] : [requests, describeGraph(head)];
  return { project: '', feedback_keys: [], facts, is_read_only: true };
}

/** Divides spans into pages: a small first one, which is shown at once, and larger ones. */
async function* pagesOf(spans: AsyncIterable<Span>): AsyncGenerator<readonly Span[], void, undefined> {
  let page: Span[] = [];
  let size = FIRST_PAGE;
  for await (const span of spans) {
    page.push(span);
    if (page.length < size) continue;
    yield page;
    page = [];
    size = PAGE_SIZE;
  }
  yield page;
}

/**
 * Refuses requests that the webview never sends for a file, because it does not offer the actions that send
 * them.
 */
function refuse(): never {
  throw new Error(vscode.l10n.t('A run file is read-only. Import it to work with it.'));
}
