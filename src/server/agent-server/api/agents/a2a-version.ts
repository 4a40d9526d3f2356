import type { IncomingHttpHeaders } from 'node:http';
import { VERSION_NOT_SUPPORTED } from './a2a-errors.ts';
import { RpcFailure } from './json-rpc.ts';

/** The supported versions of A2A. They differ in method names and in the format of answers. */
export type A2aVersion = '0.3' | '1.0';

/** The names of methods in A2A 0.3, by their names in 1.0. */
const METHODS_0_3: Readonly<Record<string, string>> = {
  SendMessage: 'message/send',
  SendStreamingMessage: 'message/stream',
  GetTask: 'tasks/get',
  ListTasks: 'tasks/list',
  CancelTask: 'tasks/cancel',
  SubscribeToTask: 'tasks/resubscribe',
  CreateTaskPushNotificationConfig: 'tasks/pushNotificationConfig/set',
  GetTaskPushNotificationConfig: 'tasks/pushNotificationConfig/get',
  ListTaskPushNotificationConfigs: 'tasks/pushNotificationConfig/list',
  DeleteTaskPushNotificationConfig: 'tasks/pushNotificationConfig/delete',
  GetExtendedAgentCard: 'agent/getAuthenticatedExtendedCard',
};

/** The 0.3 name of a method, given its name in either version. */
export function methodOf({ method }: { readonly method: string }): string {
  return (Object.hasOwn(METHODS_0_3, method) ? METHODS_0_3[method] : undefined) ?? method;
}

/**
 * The version of a request: from its `A2A-Version` header, otherwise from the name of its method.
 * @throws RpcFailure for an unsupported version.
 */
export function versionOf(headers: IncomingHttpHeaders, { method }: { readonly method: string }): A2aVersion {
  const named = [headers['a2a-version']].flat()[0]?.trim() ?? '';
  if (named === '') return Object.hasOwn(METHODS_0_3, method) ? '1.0' : '0.3';
  const [major, minor] = named.split('.');
  if (major === '1') return '1.0';
  if (major === '0' && minor === '3') return '0.3';
  throw new RpcFailure(VERSION_NOT_SUPPORTED, `A2A ${named.slice(0, 16)} is not supported. Use 1.0 or 0.3.`);
}

/** All states of A2A, by their names in 0.3. */
const STATES: ReadonlySet<string> = new Set([
  'submitted',
  'working',
  'input-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'auth-required',
]);

/** The fields that contain events in 1.0, by the kinds of events in 0.3. */
const EVENT_FIELDS: Readonly<Record<string, string>> = {
  task: 'task',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
};

/**
 * An event in the form of the version. In 1.0, it is an object with one field, which is named for its kind.
 */
export function eventIn(version: A2aVersion, event: { readonly kind: string }): object {
  if (version === '0.3') return event;
  return { [EVENT_FIELDS[event.kind] ?? event.kind]: inVersion1(event) };
}

/** A requested task, in the form of the version. */
export function taskIn(version: A2aVersion, task: object): unknown {
  return version === '0.3' ? task : inVersion1(task);
}

/** A value in the form of 1.0: without `kind` and `final`, and with the names of 1.0 for states and roles. */
function inVersion1(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inVersion1);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
      if (key === 'kind' || key === 'final') return [];
      if (key === 'state') return [[key, `TASK_STATE_${enumName(field)}`]];
      if (key === 'role') return [[key, `ROLE_${enumName(field)}`]];
      // The output of the graph is left unchanged.
      return [[key, key === 'data' ? field : inVersion1(field)]];
    }),
  );
}

/** The 0.3 name of a state, given its name in either version; undefined if the name is unknown. */
export function stateNamed(name: string): string | undefined {
  const state = name
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return STATES.has(state) ? state : undefined;
}

function enumName(name: unknown): string {
  return String(name).replaceAll('-', '_').toUpperCase();
}
