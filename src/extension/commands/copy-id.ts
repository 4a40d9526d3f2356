import * as vscode from 'vscode';
import { AssistantElement } from '../views/assistants.ts';
import { DatasetElement, ExampleElement } from '../views/datasets.ts';
import { PlatformDeploymentElement, RevisionElement } from '../views/platform-deployments.ts';
import { CheckpointElement, ThreadElement } from '../views/threads.ts';
import { SpanElement, TraceElement } from '../views/traces.ts';
import type { Command } from './command.ts';

/** Copies the id of what a row stands for. */
export const copyId: Command = async (_parts, given) => {
  const id = idOf(given);
  if (id !== undefined) await vscode.env.clipboard.writeText(id);
};

function idOf(element: unknown): string | undefined {
  if (element instanceof AssistantElement) return element.assistant.assistant_id;
  if (element instanceof ThreadElement) return element.thread.thread_id;
  if (element instanceof CheckpointElement) return element.checkpointId;
  if (element instanceof TraceElement || element instanceof SpanElement) return element.runId;
  if (element instanceof DatasetElement) return element.dataset.id;
  if (element instanceof ExampleElement) return element.exampleId;
  if (element instanceof PlatformDeploymentElement) return element.deployment.id;
  if (element instanceof RevisionElement) return element.revision.id;
  return undefined;
}
