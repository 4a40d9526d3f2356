import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import * as z from 'zod';
import type { Settings } from '../settings.ts';
import { ExtractiveChatModel } from './extractive-chat-model.ts';

/** A provider's package is loaded only when it is used, so that the agent runs without any of them. */
const providers = {
  anthropic: {
    package: '@langchain/anthropic',
    class: 'ChatAnthropic',
    key: 'ANTHROPIC_API_KEY',
    model: 'claude-haiku-4-5',
  },
  openai: { package: '@langchain/openai', class: 'ChatOpenAI', key: 'OPENAI_API_KEY', model: 'gpt-5-mini' },
};
type Provider = (typeof providers)[keyof typeof providers];

/**
 * The chat model that a run's settings ask for. With `auto`: the first provider whose key is in the environment,
 * or the extractive model, which needs none.
 * @throws Error when a provider is asked for by name and its key or its package is missing.
 */
export async function chooseModel({ model, token_delay_ms }: Settings): Promise<BaseChatModel> {
  const extractive = () => new ExtractiveChatModel({ tokenDelayMs: token_delay_ms });
  if (model === 'extractive') return extractive();

  if (model === 'auto') {
    const provider = Object.values(providers).find(({ key }) => process.env[key]);
    if (!provider) return extractive();
    try {
      return await providerModel(provider, provider.model);
    } catch (error) {
      if (!(error instanceof MissingPackage)) throw error;
      console.warn(`${error.message} Until then the extractive model answers.`);
      return extractive();
    }
  }

  const [name, ...rest] = model.split(':');
  const provider = name === 'openai' ? providers.openai : providers.anthropic;
  if (!process.env[provider.key])
    throw new Error(`model: ${model} needs ${provider.key} in the environment.`);
  return providerModel(provider, rest.join(':'));
}

class MissingPackage extends Error {}

async function providerModel(provider: Provider, model: string): Promise<BaseChatModel> {
  const module = await import(provider.package).catch((error: unknown) => {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    if (!missing || !error.message.includes(provider.package)) throw error;
    throw new MissingPackage(`To answer with ${model}, run "npm install ${provider.package}".`);
  });
  const ChatModel = chatModelClass.parse(module[provider.class]);
  return new ChatModel({ model });
}

type ChatModelClass = new (fields: { model: string }) => BaseChatModel;
const chatModelClass = z.custom<ChatModelClass>((value) => typeof value === 'function');
