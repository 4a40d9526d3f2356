import * as vscode from 'vscode';
import { addressProblem } from '../../client/connection.ts';
import { ask, choose, type Step, takeAnswer, walk } from '../dialogs/steps.ts';
import type { Connections } from './connections.ts';
import type { RemoteConnection } from './remote.ts';
import { tryKey } from './sign-in.ts';
import type { ConnectionKind, StoredCredentials } from './stored-connection.ts';

/** The address at which `langgraph dev` serves. */
const LOCAL_AGENT_SERVER = 'http://127.0.0.1:2024';

const HEADER_PATTERN = /^([\w!#$%&'*+.^`|~-]+)\s*:\s*(\S.*)$/;

interface KindItem extends vscode.QuickPickItem {
  readonly connectionKind: ConnectionKind;
}

/** The answers about the connection so far. */
interface ConnectionDraft {
  readonly title: string;
  kind: ConnectionKind;
  label: string;
  url: string | undefined;
  apiKey: string;
  headers: Record<string, string>;
}

/**
 * Asks for a platform and adds it.
 * @returns undefined when canceled
 */
export async function addConnection(connections: Connections): Promise<RemoteConnection | undefined> {
  const title = vscode.l10n.t('Add Connection');
  const draft: ConnectionDraft = { title, kind: 'us', label: '', url: undefined, apiKey: '', headers: {} };
  const toStep =
    (step: DraftStep): Step =>
    (canGoBack) =>
      step(draft, canGoBack);
  if (!(await walk([chooseKind, askForAddress, askForKey, askForHeaders].map(toStep)))) return undefined;
  const { kind, label, url, apiKey, headers } = draft;
  return connections.add({ kind, label, ...(url !== undefined && { url }) }, credentialsOf(apiKey, headers));
}

type DraftStep = (draft: ConnectionDraft, canGoBack: boolean) => ReturnType<Step>;

const chooseKind: DraftStep = async (draft, canGoBack) =>
  takeAnswer(
    await choose({
      title: draft.title,
      canGoBack,
      placeholder: vscode.l10n.t('Select a connection type'),
      items: kinds(),
    }),
    (item) => {
      draft.kind = item.connectionKind;
      draft.label = item.label;
      // These answers belong to the server that was entered before.
      draft.url = undefined;
      draft.apiKey = '';
      draft.headers = {};
    },
  );

const askForAddress: DraftStep = async (draft, canGoBack) => {
  const { title, kind, url } = draft;
  if (kind !== 'self-hosted' && kind !== 'agent-server') return 'skipped';
  return takeAnswer(
    await ask({
      title,
      canGoBack,
      prompt:
        kind === 'self-hosted'
          ? vscode.l10n.t('Server URL. The control plane is expected at /api-host.')
          : vscode.l10n.t('Agent server URL'),
      placeholder: kind === 'self-hosted' ? 'https://agents.example.com' : LOCAL_AGENT_SERVER,
      value: url ?? (kind === 'agent-server' ? LOCAL_AGENT_SERVER : ''),
      check: addressProblemText,
    }),
    (address) => {
      draft.url = address.replace(/\/+$/, '').replace(/\/api-host$/, '');
      draft.label = new URL(draft.url).host;
    },
  );
};

const askForKey: DraftStep = async (draft, canGoBack) => {
  const { title, kind, apiKey } = draft;
  // For other platforms, the sign-in that follows asks for the key, because their keys belong to workspaces.
  if (kind !== 'agent-server') return 'skipped';
  const prompt = vscode.l10n.t('API key (leave empty if not required)');
  const placeholder = vscode.l10n.t('API key');
  return takeAnswer(
    await ask({ title, canGoBack, isSecret: true, prompt, placeholder, value: apiKey }),
    (key) => {
      draft.apiKey = key;
    },
  );
};

const askForHeaders: DraftStep = async (draft, canGoBack) => {
  const { title, kind } = draft;
  if (kind !== 'agent-server') return 'skipped';
  return takeAnswer(
    await ask({
      title,
      canGoBack,
      prompt: vscode.l10n.t('Headers to send with every request, such as X-Tenant: acme; X-Other: value'),
      placeholder: vscode.l10n.t('None'),
      check: (text) => checkHeaders(draft, text),
    }),
    (text) => {
      draft.headers = headersOf(text);
    },
  );
};

/** The problem with headers: one is not valid, or the server refuses them. Undefined if there is none. */
async function checkHeaders(
  { label, kind, url, apiKey }: ConnectionDraft,
  text: string,
): Promise<string | undefined> {
  const wrong = headerTexts(text).find((header) => !HEADER_PATTERN.test(header));
  if (wrong !== undefined)
    return vscode.l10n.t('“{0}” is not a valid header. Use the form Name: value.', wrong);
  const found = await tryKey(
    { id: '', label, kind, ...(url !== undefined && { url }) },
    credentialsOf(apiKey, headersOf(text)),
  );
  // A server that is not up yet can still be added.
  return found.isRefused ? found.problem : undefined;
}

function headerTexts(text: string): string[] {
  return text
    .split(';')
    .map((header) => header.trim())
    .filter(Boolean);
}

function headersOf(text: string): Record<string, string> {
  return Object.fromEntries(
    headerTexts(text).map((header) => {
      const [, name = '', value = ''] = HEADER_PATTERN.exec(header) ?? [];
      return [name.toLowerCase(), value];
    }),
  );
}

function credentialsOf(apiKey: string, headers: Readonly<Record<string, string>>): StoredCredentials {
  return {
    ...(apiKey !== '' && { apiKey }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

function kinds(): KindItem[] {
  return [
    {
      connectionKind: 'us',
      label: vscode.l10n.t('Cloud US'),
      iconPath: new vscode.ThemeIcon('cloud'),
      description: 'api.smith.langchain.com',
    },
    {
      connectionKind: 'eu',
      label: vscode.l10n.t('Cloud EU'),
      iconPath: new vscode.ThemeIcon('cloud'),
      description: 'eu.api.smith.langchain.com',
    },
    {
      connectionKind: 'self-hosted',
      label: vscode.l10n.t('Self-Hosted'),
      iconPath: new vscode.ThemeIcon('server'),
      description: vscode.l10n.t('your own LangSmith or Agent Harbor server'),
    },
    {
      connectionKind: 'agent-server',
      label: vscode.l10n.t('Agent Server'),
      iconPath: new vscode.ThemeIcon('plug'),
      description: vscode.l10n.t('a running langgraph dev server, or the URL of a deployment'),
    },
  ];
}

/** The problem with an address, as a sentence; undefined if there is none. */
function addressProblemText(address: string): string | undefined {
  switch (addressProblem(address)) {
    case 'no-address':
      return vscode.l10n.t('Enter a URL such as https://agents.example.com.');
    case 'unencrypted':
      return vscode.l10n.t('Use https. With http, the key would be sent unencrypted.');
    case undefined:
      return undefined;
  }
}
