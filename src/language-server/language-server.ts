import {
  CodeActionKind,
  CodeLensRefreshRequest,
  type CompletionList,
  CompletionRequest,
  type Connection,
  type DocumentSelector,
  HoverRequest,
  type InitializeParams,
  type InitializeResult,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  FOLDER_CONFIGS_METHOD,
  FolderConfigsParams,
  LanguageServerOptions,
} from '../contract/language-server.ts';
import { type ConfigDocument, makeJsonService } from '../project/config-document.ts';
import { firstEmptyValue } from '../project/write-env-file.ts';
import { completeReference } from './completion.ts';
import { definitionInConfig, definitionInSource } from './definition.ts';
import { Diagnostics } from './diagnostics.ts';
import { CREATE_ENV_FILE, findLensesInSource, lensesInConfig, lensesOnProblems } from './lenses.ts';
import { openFiles } from './open-files.ts';
import { isConfig, pathOf, uriOf } from './paths.ts';
import { Projects } from './projects.ts';
import { editOf, quickFixes } from './quick-fixes.ts';
import { referenceAt } from './reference-at.ts';

const TRIGGER_CHARACTERS = ['"', '/', ':', '.'];
const CONFIG_FILES: DocumentSelector = [{ scheme: 'file', pattern: '**/langgraph.json' }];

/** A connection to an editor, what the editor can do, and the documents that it has open. */
interface Session {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly files: ReturnType<typeof openFiles>;
  readonly service: ReturnType<typeof makeJsonService>;
  readonly projects: Projects;
  readonly diagnostics: Diagnostics;
  options: LanguageServerOptions;
  registersDynamically: boolean;
  refreshesLenses: boolean;
}

/** Serves an editor over a connection until it disconnects. */
export function startLanguageServer(
  connection: Connection,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const documents = new TextDocuments(TextDocument);
  const files = openFiles(documents);
  const service = makeJsonService();
  const projects = new Projects({ service, files, environment });
  const diagnostics = new Diagnostics({
    projects,
    publish: (uri, found) => void connection.sendDiagnostics({ uri, diagnostics: found }),
    failed: (error) => logError(connection, error),
    reportsSyntax: () => session.options.reports_syntax,
  });
  const session: Session = {
    connection,
    documents,
    files,
    service,
    projects,
    diagnostics,
    options: LanguageServerOptions.parse({}),
    registersDynamically: false,
    refreshesLenses: false,
  };
  greet(session);
  followChanges(session);
  offerCompletion(session);
  offerDefinitions(session);
  offerActions(session);
  documents.listen(connection);
  connection.listen();
}

/** The langgraph.json of a request; undefined for other documents. */
async function readConfig({ projects }: Session, uri: string): Promise<ConfigDocument | undefined> {
  const file = pathOf(uri);
  return file !== undefined && isConfig(file) ? projects.read(file) : undefined;
}

/** Exchanges capabilities with the editor. */
function greet(session: Session): void {
  const { connection } = session;
  connection.onInitialize(({ capabilities, initializationOptions }: InitializeParams): InitializeResult => {
    session.options = LanguageServerOptions.parse(initializationOptions ?? {});
    session.registersDynamically = capabilities.textDocument?.completion?.dynamicRegistration === true;
    session.refreshesLenses = capabilities.workspace?.codeLens?.refreshSupport === true;
    return {
      serverInfo: { name: 'agent-harbor-language-server' },
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        definitionProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
        codeLensProvider: { resolveProvider: false },
        executeCommandProvider: { commands: [CREATE_ENV_FILE] },
        // If possible, completion and hover are registered later, only for langgraph.json: source files have
        // neither.
        ...(session.registersDynamically
          ? {}
          : {
              completionProvider: { triggerCharacters: TRIGGER_CHARACTERS, resolveProvider: false },
              hoverProvider: true,
            }),
      },
    };
  });

  connection.onInitialized(() => {
    if (!session.registersDynamically) return;
    connection.client
      .register(CompletionRequest.type, {
        documentSelector: CONFIG_FILES,
        triggerCharacters: TRIGGER_CHARACTERS,
      })
      .catch((error: unknown) => logError(connection, error));
    connection.client
      .register(HoverRequest.type, { documentSelector: CONFIG_FILES })
      .catch((error: unknown) => logError(connection, error));
  });
}

function logError({ console }: Connection, error: unknown): void {
  console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** Checks projects again when their documents, files or configurations change. */
function followChanges(session: Session): void {
  const { connection, documents, projects, diagnostics } = session;
  connection.onNotification(FOLDER_CONFIGS_METHOD, (params: unknown) => {
    projects.set(FolderConfigsParams.parse(params).configs);
    diagnostics.refresh();
    if (session.refreshesLenses)
      connection
        .sendRequest(CodeLensRefreshRequest.type)
        .catch((error: unknown) => logError(connection, error));
  });
  connection.onDidChangeWatchedFiles(() => diagnostics.refresh());
  connection.onShutdown(() => diagnostics.dispose());

  documents.onDidOpen(({ document }) => {
    const file = pathOf(document.uri);
    if (file !== undefined && isConfig(file)) projects.noteOpened(file);
  });
  documents.onDidClose(({ document }) => {
    const file = pathOf(document.uri);
    if (file !== undefined) projects.noteClosed(file);
    diagnostics.refresh();
  });
  documents.onDidChangeContent(() => diagnostics.refresh());
  documents.onDidSave(() => diagnostics.refresh());
}

function offerCompletion(session: Session): void {
  const { connection, files, service } = session;
  connection.onCompletion(async ({ textDocument, position }): Promise<CompletionList | null> => {
    const config = await readConfig(session, textDocument.uri);
    if (config === undefined) return null;
    const reference = referenceAt(config, position);
    if (reference === undefined) return service.doComplete(config.document, position, config.json);
    const { suggest_command: suggestCommand } = session.options;
    const items = await completeReference({ files, suggestCommand }, config, reference);
    return { isIncomplete: true, items };
  });

  connection.onHover(async ({ textDocument, position }) => {
    const config = await readConfig(session, textDocument.uri);
    return config === undefined ? null : service.doHover(config.document, position, config.json);
  });
}

function offerDefinitions(session: Session): void {
  const { connection, files, projects } = session;
  connection.onDefinition(async ({ textDocument, position }) => {
    const file = pathOf(textDocument.uri);
    if (file === undefined) return null;
    const config = await readConfig(session, textDocument.uri);
    return config === undefined
      ? definitionInSource(files, projects, file, position)
      : definitionInConfig(files, config, position);
  });
}

/** Offers quick fixes and code lenses, and runs the command that creates an env file. */
function offerActions(session: Session): void {
  const { connection, files, projects, diagnostics } = session;
  connection.onCodeAction(({ textDocument, range }) => {
    const file = pathOf(textDocument.uri);
    return file === undefined ? [] : quickFixes(diagnostics.of(file), range);
  });

  connection.onCodeLens(async ({ textDocument }) => {
    const commands = {
      run: session.options.run_command,
      debug: session.options.debug_command,
      deploy: session.options.deploy_command,
    };
    const file = pathOf(textDocument.uri);
    if (file === undefined) return [];
    const config = await readConfig(session, textDocument.uri);
    if (config === undefined) return findLensesInSource(files, projects, file, commands);
    return [
      ...lensesInConfig(config, commands),
      ...lensesOnProblems(config, await projects.check(config.file)),
    ];
  });

  connection.onExecuteCommand(async ({ command, arguments: [file] = [] }) => {
    if (command !== CREATE_ENV_FILE || typeof file !== 'string') return;
    const problem = (await projects.check(file)).find(({ code }) => code === 'env-file');
    const [fix] = problem?.fixes ?? [];
    if (fix === undefined) return;
    await connection.workspace.applyEdit({ label: fix.title, edit: editOf(fix) });
    if (fix.change.kind !== 'create') return;
    // Selects the first value that the user has to fill in.
    const place = firstEmptyValue(fix.change.text);
    const selection = { start: place, end: place };
    // The file has been created even if the editor cannot show it.
    await connection.window
      .showDocument({ uri: uriOf(fix.change.file), takeFocus: true, selection })
      .catch(() => {});
  });
}
