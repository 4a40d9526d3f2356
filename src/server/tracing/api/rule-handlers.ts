import type { rules } from '../../../contract/tracing/rules.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services/services.ts';

/** Handlers for rules, which extend the retention of the traces that they match. 404 for rules of other workspaces. */
export function ruleHandlers({ read, write }: TracingServices): Handlers<typeof rules> {
  return {
    list: ({ query, caller: { workspaceId } }) =>
      read('listRules', { workspaceId, sessionId: query.session_id }),
    create: ({ body, caller: { workspaceId } }) => write('createRule', { workspaceId, rule: body }),
    update: ({ params, body, caller: { workspaceId } }) =>
      write('updateRule', { workspaceId, ruleId: params.rule_id, changes: body }),
    delete: ({ params, caller: { workspaceId } }) =>
      write('deleteRule', { workspaceId, ruleId: params.rule_id }),
  };
}
