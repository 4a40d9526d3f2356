import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type ClientCapabilities,
  CodeActionRequest,
  CodeLensRequest,
  CompletionRequest,
  createProtocolConnection,
  DefinitionRequest,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  type Position,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { URI } from 'vscode-uri';
import {
  FOLDER_CONFIGS_METHOD,
  type FolderConfigsParams,
  type LanguageServerOptions,
} from '../../src/contract/language-server.ts';
import { bundle } from './dist.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { eventually } from './wait.ts';

/** The language server as editors run it, over stdio, on its own project. */
export interface EditedProject extends AsyncDisposable {
  readonly folder: string;
  readonly connection: ProtocolConnection;
  /** Opens a file of the project with its text, or with another text that was never saved. */
  open(file: string, text?: string): Promise<void>;
  /** Replaces the text of an open file. */
  change(file: string, text: string): Promise<void>;
  tell(configs: FolderConfigsParams['configs']): Promise<void>;
  /** Waits until the diagnostics of a file satisfy `when`. */
  diagnostics(file: string, when: (found: readonly Diagnostic[]) => boolean): Promise<readonly Diagnostic[]>;
  complete(file: string, at: Position): ReturnType<typeof requestCompletion>;
  hover(file: string, at: Position): Promise<string>;
  /** `file:line` of every definition. */
  define(file: string, at: Position): Promise<string[]>;
  lenses(file: string): Promise<{ line: number; title: string; command: string; arguments: unknown[] }[]>;
  fixes(file: string, at: Position): ReturnType<typeof requestFixes>;
  path(file: string): string;
}

/** `await using project = await editProject({ 'langgraph.json': … })`; values other than texts are written as JSON. */
export async function editProject(
  files: Readonly<Record<string, string | object>>,
  options: Partial<LanguageServerOptions> = {},
  capabilities: ClientCapabilities = {},
): Promise<EditedProject> {
  await using cleanup = new AsyncDisposableStack();
  const { path: folder } = cleanup.use(await temporaryFolder());
  const texts = new Map<string, string>();
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    texts.set(name, text);
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }

  const child = spawn(process.execPath, [bundle('language-server.cjs'), '--stdio'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  cleanup.defer(() => void child.kill());
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  cleanup.defer(() => connection.dispose());
  const published = new Map<string, readonly Diagnostic[]>();
  connection.onNotification(PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    published.set(uri, diagnostics);
  });
  connection.listen();
  await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: URI.file(folder).toString(),
    capabilities,
    initializationOptions: options,
  });
  await connection.sendNotification(InitializedNotification.type, {});
  cleanup.defer(async () => {
    await connection.sendRequest(ShutdownRequest.type);
    await connection.sendNotification(ExitNotification.type);
  });

  const kept = cleanup.move();
  const pathTo = (file: string) => path.join(folder, file);
  const uri = (file: string) => URI.file(pathTo(file)).toString();
  let version = 1;
  return {
    folder,
    connection,
    path: pathTo,
    open: (file, text = texts.get(file) ?? '') =>
      connection.sendNotification(DidOpenTextDocumentNotification.type, {
        textDocument: { uri: uri(file), languageId: languageOf(file), version, text },
      }),
    change: (file, text) =>
      connection.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: uri(file), version: ++version },
        contentChanges: [{ text }],
      }),
    tell: (configs) => connection.sendNotification(FOLDER_CONFIGS_METHOD, { configs }),
    diagnostics: (file, when) =>
      eventually(
        `diagnostics of ${file}`,
        () => published.get(uri(file)) ?? [],
        (found) => published.has(uri(file)) && when(found),
      ),
    complete: (file, at) => requestCompletion(connection, uri(file), at),
    hover: (file, at) => requestHover(connection, uri(file), at),
    define: (file, at) => requestDefinition(connection, folder, uri(file), at),
    lenses: (file) => requestLenses(connection, uri(file)),
    fixes: (file, at) => requestFixes(connection, uri(file), at),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function languageOf(file: string): string {
  return file.endsWith('.py') ? 'python' : file.endsWith('.json') ? 'json' : 'typescript';
}

async function requestCompletion(connection: ProtocolConnection, uri: string, position: Position) {
  const list = await connection.sendRequest(CompletionRequest.type, { textDocument: { uri }, position });
  return list === null ? [] : Array.isArray(list) ? list : list.items;
}

async function requestHover(connection: ProtocolConnection, uri: string, position: Position) {
  const hover = await connection.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
  return JSON.stringify(hover?.contents ?? '');
}

async function requestDefinition(
  connection: ProtocolConnection,
  folder: string,
  uri: string,
  position: Position,
) {
  const found = await connection.sendRequest(DefinitionRequest.type, { textDocument: { uri }, position });
  const all = found === null ? [] : Array.isArray(found) ? found : [found];
  return all.map((link) => {
    const [target, range] =
      'targetUri' in link ? [link.targetUri, link.targetSelectionRange] : [link.uri, link.range];
    return `${path.relative(folder, URI.parse(target).fsPath)}:${range.start.line + 1}:${range.start.character + 1}`;
  });
}

async function requestLenses(connection: ProtocolConnection, uri: string) {
  const lenses = await connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } });
  return (lenses ?? []).map(({ range, command }) => ({
    line: range.start.line + 1,
    title: command?.title ?? '',
    command: command?.command ?? '',
    arguments: command?.arguments ?? [],
  }));
}

async function requestFixes(connection: ProtocolConnection, uri: string, at: Position) {
  const range = { start: at, end: at };
  const actions = await connection.sendRequest(CodeActionRequest.type, {
    textDocument: { uri },
    range,
    context: { diagnostics: [] },
  });
  return (actions ?? []).flatMap((action) => ('edit' in action ? [action] : []));
}
