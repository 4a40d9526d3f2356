import * as vscode from 'vscode';
import { AssistantElement } from '../../views/assistants.ts';
import { DatasetElement, ExampleElement } from '../../views/datasets.ts';
import { PlatformDeploymentElement, RevisionElement } from '../../views/platform-deployments.ts';
import { CheckpointElement, ThreadElement } from '../../views/threads.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import { rowCommand } from '../command.ts';

const KINDS = [
  AssistantElement,
  ThreadElement,
  CheckpointElement,
  TraceElement,
  SpanElement,
  DatasetElement,
  ExampleElement,
  PlatformDeploymentElement,
  RevisionElement,
] as const;

/** Copies the ID of a row's resource. */
export const copyId = rowCommand(KINDS, async (_parts, row) => {
  const id = idOf(row);
  if (id !== undefined) await vscode.env.clipboard.writeText(id);
});

function idOf(row: InstanceType<(typeof KINDS)[number]>): string | undefined {
  if (row instanceof AssistantElement) return row.assistant.assistant_id;
  if (row instanceof ThreadElement) return row.thread.thread_id;
  if (row instanceof CheckpointElement) return row.checkpointId;
  if (row instanceof DatasetElement) return row.dataset.id;
  if (row instanceof ExampleElement) return row.exampleId;
  if (row instanceof PlatformDeploymentElement) return row.deployment.id;
  if (row instanceof RevisionElement) return row.revision.id;
  return row.runId;
}
