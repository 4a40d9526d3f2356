import * as vscode from 'vscode';
import { sentenceOf } from '../dialogs/errors.ts';
import { ask, choose, type Step, takeAnswer, walk } from '../dialogs/steps.ts';
import type { Connections } from './connections.ts';
import { readNetworkSettings } from './network-settings.ts';
import type { StoredConnection, StoredCredentials, StoredWorkspace } from './stored-connection.ts';

/** Asks for a key, and for a workspace when the key has access to several, and connects with them. */
export async function signIn(
  connections: Connections,
  { workspace: before, ...stored }: StoredConnection,
  credentials: StoredCredentials,
): Promise<void> {
  const title = vscode.l10n.t('Sign In to {0}', stored.label);
  const isAgentServer = stored.kind === 'agent-server';
  let apiKey = '';
  let found: KeyCheck = {};
  let workspace: StoredWorkspace | undefined;

  const askForKey: Step = async (canGoBack) =>
    takeAnswer(
      await ask({
        title,
        canGoBack,
        isSecret: true,
        prompt: isAgentServer
          ? vscode.l10n.t('API key (leave empty if not required)')
          : vscode.l10n.t("API key. It is saved in this machine's secret storage."),
        check: async (key) => {
          if (key === '' && !isAgentServer) return vscode.l10n.t('Enter an API key.');
          found = await tryKey(stored, { ...credentials, ...(key !== '' && { apiKey: key }) });
          return found.problem;
        },
      }),
      (key) => {
        apiKey = key;
      },
    );

  const askForWorkspace: Step = async (canGoBack) => {
    const { workspaces } = found;
    if (workspaces === undefined) return found.needsWorkspace === true ? askForId(canGoBack) : 'skipped';
    if (workspaces.length <= 1) {
      workspace = workspaces[0];
      return 'skipped';
    }
    const items = workspaces.map((one) => ({ label: one.name, description: one.id, workspace: one }));
    const placeholder = vscode.l10n.t('Select a workspace. This key has access to several.');
    const isActive = (item: (typeof items)[number]) => item.workspace.id === before?.id;
    return takeAnswer(await choose({ title, canGoBack, placeholder, items, isActive }), (item) => {
      workspace = item.workspace;
    });
  };

  const askForId: Step = async (canGoBack) =>
    takeAnswer(
      await ask({
        title,
        canGoBack,
        prompt: vscode.l10n.t('Workspace ID (this key has access to several)'),
        check: async (id) => {
          const chosen = { ...stored, workspace: { id, name: id } };
          return (await tryKey(chosen, { ...credentials, apiKey })).problem;
        },
      }),
      (id) => {
        workspace = { id, name: id };
      },
    );

  if (!(await walk([askForKey, askForWorkspace]))) return;
  await connections.signIn(stored.id, { ...credentials, ...(apiKey !== '' && { apiKey }) }, workspace);
}

/** The result of {@link tryKey}. */
interface KeyCheck {
  /** Why the key cannot be used, as a sentence. */
  readonly problem?: string | undefined;
  /** The workspaces that the key has access to, where the platform lists them. */
  readonly workspaces?: readonly StoredWorkspace[] | undefined;
  /** Whether the key works only with a workspace, and the platform does not list the workspaces. */
  readonly needsWorkspace?: boolean;
  /** Whether the platform answered and refused the key. */
  readonly isRefused?: boolean;
}

/** Checks whether a platform accepts a key, and for which workspaces. */
export async function tryKey(stored: StoredConnection, credentials: StoredCredentials): Promise<KeyCheck> {
  const { createDispatcher, listWorkspaces, needsWorkspace, probe, remoteClient } = await import(
    './platform.ts'
  );
  const dispatcher = createDispatcher(process.env, readNetworkSettings());
  try {
    const client = remoteClient({ stored, credentials, dispatcher });
    const { kind, workspace } = stored;
    const isListed = kind !== 'agent-server' && workspace === undefined;
    const workspaces = isListed ? await listWorkspaces(client) : undefined;
    if (workspaces !== undefined) return { workspaces };
    const answer = await probe(client, kind);
    if (answer.found === 'ready') return {};
    return workspace === undefined && needsWorkspace(answer.error)
      ? { needsWorkspace: true }
      : { problem: sentenceOf(answer.error), isRefused: answer.found === 'refused' };
  } catch (error) {
    return { problem: sentenceOf(error) };
  } finally {
    await dispatcher.destroy();
  }
}
