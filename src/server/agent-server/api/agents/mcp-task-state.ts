import type { McpTasksConfig } from '../../../runtimes/project/project-config.ts';
import type { McpCall } from './mcp-call-store.ts';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'cancelled';

const MINUTE_MS = 60_000;

/** A call as a task, whose ID is that of the thread (MCP Tasks 2026-07-28). */
export function taskOf(
  { thread, run, record }: McpCall,
  status: TaskStatus,
  settings: McpTasksConfig,
): object {
  return {
    taskId: thread.thread_id,
    status,
    createdAt: thread.created_at,
    lastUpdatedAt: run.ended_at ?? run.updated_at,
    ttlMs: record.kept || thread.ttl_minutes === null ? null : Math.round(thread.ttl_minutes * MINUTE_MS),
    pollIntervalMs: settings.poll_interval_ms,
  };
}

/** The answer to a call that has become a task. */
export function createdTask(call: McpCall, status: TaskStatus, settings: McpTasksConfig): object {
  return { resultType: 'task', ...taskOf(call, status, settings) };
}
