import type {
  BaseChatModel,
  BaseChatModelCallOptions,
  BindToolsInput,
} from '@langchain/core/language_models/chat_models';

/** @throws Error when the model cannot call tools. */
export function bindTools(
  model: BaseChatModel,
  tools: BindToolsInput[],
  options?: Partial<BaseChatModelCallOptions>,
) {
  if (!model.bindTools) throw new Error(`${model.getName()} cannot call tools; choose another model.`);
  return model.bindTools(tools, options);
}
