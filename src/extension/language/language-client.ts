import * as vscode from 'vscode';
import {
  CodeLensRequest,
  LanguageClient,
  type LanguageClientOptions,
  State,
  TransportKind,
} from 'vscode-languageclient/node';
import {
  FOLDER_CONFIGS_METHOD,
  type FolderConfigsParams,
  type LanguageServerOptions,
} from '../../contract/language-server.ts';

interface LanguageClientParts {
  /** Absolute path of `dist/language-server.cjs`. */
  readonly serverPath: string;
  readonly log: vscode.LogOutputChannel;
}

const LENS_SETTING = 'agentHarbor.codeLens';
const LANGUAGES = ['typescript', 'typescriptreact', 'javascript', 'javascriptreact', 'python'];
const options: LanguageServerOptions = {
  // VS Code's own JSON support reports invalid syntax.
  reports_syntax: false,
  run_command: 'agentHarbor.run',
  debug_command: 'agentHarbor.debug',
  deploy_command: 'agentHarbor.deploy',
  suggest_command: 'editor.action.triggerSuggest',
};

/**
 * The client of this window's language server, a separate process that `LanguageClient` restarts when it
 * dies.
 */
export class HarborLanguageClient {
  readonly #client: LanguageClient;
  readonly #subscriptions: readonly vscode.Disposable[];
  /** The parameters that were sent last, as JSON. */
  #sent = '';

  private constructor(client: LanguageClient, watchers: readonly vscode.FileSystemWatcher[]) {
    this.#client = client;
    this.#subscriptions = [
      ...watchers,
      // A server that was started again after a crash knows nothing.
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running && this.#sent !== undefined)
          void client.sendNotification(FOLDER_CONFIGS_METHOD, JSON.parse(this.#sent));
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(LENS_SETTING)) this.#refreshLenses();
      }),
    ];
  }

  /** Starts the server. @throws Error if its process cannot be started */
  static async start({ serverPath, log }: LanguageClientParts): Promise<HarborLanguageClient> {
    const watchers = [
      '**/{langgraph.json,package.json,package-lock.json,pyproject.toml,.env*}',
      '**/*.{ts,mts,cts,tsx,js,mjs,cjs,jsx,py}',
    ].map((pattern) => vscode.workspace.createFileSystemWatcher(pattern));
    const clientOptions: LanguageClientOptions = {
      documentSelector: [
        { scheme: 'file', pattern: '**/langgraph.json' },
        { scheme: 'file', pattern: '**/.env*' },
        ...LANGUAGES.map((language) => ({ scheme: 'file', language })),
      ],
      synchronize: { fileEvents: watchers },
      initializationOptions: options,
      outputChannel: log,
      middleware: {
        provideCodeLenses: (document, token, next) => (showsLenses(document) ? next(document, token) : []),
      },
    };
    const client = new LanguageClient(
      'agentHarbor.languageServer',
      'Agent Harbor Language Server',
      { module: serverPath, transport: TransportKind.ipc },
      clientOptions,
    );
    await client.start();
    return new HarborLanguageClient(client, watchers);
  }

  /** Sends the langgraph.json files and the state of their graphs, if changed. */
  async sendConfigs(params: FolderConfigsParams): Promise<void> {
    const text = JSON.stringify(params);
    if (text === this.#sent) return;
    this.#sent = text;
    await this.#client.sendNotification(FOLDER_CONFIGS_METHOD, params);
  }

  async stop(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.dispose();
    await this.#client.dispose();
  }

  /** Makes VS Code ask for the lenses of open documents again. */
  #refreshLenses(): void {
    const feature = this.#client.getFeature(CodeLensRequest.method);
    for (const document of vscode.workspace.textDocuments)
      feature.getProvider(document)?.onDidChangeCodeLensEmitter.fire();
  }
}

function showsLenses(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration(undefined, document).get(LENS_SETTING, true);
}
