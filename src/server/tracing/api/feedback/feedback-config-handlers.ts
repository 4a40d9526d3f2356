import type { feedbackConfigs } from '../../../../contract/tracing/feedback-configs.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';

/**
 * The feedback that is allowed for each key: numbers in a range, or categories (docs/interface/tracing.md#feedback).
 */
export function feedbackConfigHandlers({ read, write }: TracingServices): Handlers<typeof feedbackConfigs> {
  return {
    create: ({ body, caller: { workspaceId } }) =>
      write('createFeedbackConfig', { workspaceId, config: body }),
    list: ({ query, caller: { workspaceId } }) => read('listFeedbackConfigs', { workspaceId, query }),
    update: ({ body, caller: { workspaceId } }) =>
      write('updateFeedbackConfig', { workspaceId, changes: body }),
    delete: async ({ query, caller: { workspaceId } }) => {
      await write('deleteFeedbackConfig', { workspaceId, key: query.feedback_key });
      return undefined;
    },
  };
}
