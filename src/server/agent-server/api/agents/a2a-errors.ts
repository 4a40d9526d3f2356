import { RpcFailure } from './json-rpc.ts';

/** Errors of A2A: https://a2a-protocol.org/v1.0.0/specification/#332-error-handling */
export const TASK_NOT_FOUND = -32_001;
export const TASK_NOT_CANCELABLE = -32_002;
const PUSH_NOTIFICATION_NOT_SUPPORTED = -32_003;
export const UNSUPPORTED_OPERATION = -32_004;
export const EXTENDED_CARD_NOT_CONFIGURED = -32_007;
export const VERSION_NOT_SUPPORTED = -32_009;

export function taskNotFound(taskId: string): RpcFailure {
  return new RpcFailure(TASK_NOT_FOUND, `Task '${taskId.slice(0, 64)}' not found.`);
}

export function noPushNotifications(): RpcFailure {
  return new RpcFailure(
    PUSH_NOTIFICATION_NOT_SUPPORTED,
    'Push notifications are not supported. Subscribe to the task, or poll it.',
  );
}
