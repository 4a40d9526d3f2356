import path from 'node:path';
import { GraphLoadError } from '../errors/runtime-error.ts';
import { findInstalled, importFrom } from '../langgraph/installed-package.ts';

/**
 * The providers that the public server supports (`init_embeddings`), with the packages of their classes in
 * JavaScript.
 */
const PROVIDERS: Readonly<Record<string, { packageName: string; className: string }>> = {
  azure_openai: { packageName: '@langchain/openai', className: 'AzureOpenAIEmbeddings' },
  bedrock: { packageName: '@langchain/aws', className: 'BedrockEmbeddings' },
  cohere: { packageName: '@langchain/cohere', className: 'CohereEmbeddings' },
  google_genai: { packageName: '@langchain/google-genai', className: 'GoogleGenerativeAIEmbeddings' },
  google_vertexai: { packageName: '@langchain/google-vertexai', className: 'VertexAIEmbeddings' },
  mistralai: { packageName: '@langchain/mistralai', className: 'MistralAIEmbeddings' },
  ollama: { packageName: '@langchain/ollama', className: 'OllamaEmbeddings' },
  openai: { packageName: '@langchain/openai', className: 'OpenAIEmbeddings' },
};

type EmbeddingsClass = new (fields: { model: string }) => object;

/**
 * Makes the embeddings object of `provider:model` with the project's own LangChain package.
 * @returns undefined if the name is a file and an export instead
 * @throws GraphLoadError when the provider is unknown or its package is not installed.
 */
export async function loadEmbeddingModel(name: string, projectDir: string): Promise<object | undefined> {
  const [, provider, model] = /^([a-z][a-z0-9_]+):(.+)$/.exec(name) ?? [];
  if (provider === undefined || model === undefined) return undefined;
  const known = PROVIDERS[provider];
  if (known === undefined) {
    throw new GraphLoadError(
      `store.index.embed '${name}': supported providers are ${Object.keys(PROVIDERS).join(', ')}. Use ./file.ts:export for any other model.`,
    );
  }
  const { packageName, className } = known;
  const installed = findInstalled(packageName, path.join(projectDir, 'index.js'));
  if (installed === undefined) {
    throw new GraphLoadError(
      `store.index.embed '${name}' needs the package ${packageName}, which is not installed in ${projectDir}.`,
    );
  }
  const { [className]: Embeddings } = await importFrom(installed, '.', 'import');
  if (!isEmbeddingsClass(Embeddings)) {
    throw new GraphLoadError(`${packageName} ${installed.version} has no ${className}. Update the package.`);
  }
  return new Embeddings({ model });
}

function isEmbeddingsClass(value: unknown): value is EmbeddingsClass {
  return typeof value === 'function';
}
