import path from 'node:path';
import type { StringASTNode } from 'vscode-json-languageservice';
import { nodeAt, rangeInString, stringsOf } from '../config-document.ts';
import { readEnvFile } from '../env-file.ts';
import { missingEnvSentence, unsetVariables } from '../missing-variables.ts';
import { type Fix, type Problem, range, rangeOfPlace } from '../problem.ts';
import { DEFAULT_WEBHOOK_PREFIX, isWebhookVariable, WEBHOOK_VARIABLE } from '../webhook-variables.ts';
import { envValue } from '../write-env-file.ts';
import type { CheckInput } from './check-input.ts';

/** An env file, to which a fix can add variables. */
interface EnvFileText {
  readonly file: string;
  readonly text: string;
}

/** Checks that the env file exists and can be read, and that required variables are set. */
export async function checkEnv(input: CheckInput): Promise<Problem[]> {
  const { config, files, environment } = input;
  const env = nodeAt(config, 'env');
  if (env?.type === 'string') {
    const file = path.resolve(config.dir, env.value);
    const text = await files.read(file);
    if (text === undefined) return await explainUnreadable(input, env, file);
    const { variables, badLines } = readEnvFile(text, environment);
    const envFile = { file, text };
    return [
      ...badLines.map(
        ({ line, message }): Problem => ({
          file,
          range: rangeOfPlace(text, line),
          severity: 'error',
          code: 'env-file',
          message,
        }),
      ),
      ...(await checkExample(input, env, variables, envFile)),
      ...checkWebhooks(input, variables, envFile),
    ];
  }
  const variables = Object.fromEntries([...stringsOf(env)].map(([name, { value }]) => [name, value]));
  return checkWebhooks(input, variables);
}

/**
 * Explains why an env file cannot be read. A missing one is no problem if the environment sets the variables of its
 * example.
 */
async function explainUnreadable(
  { config, files, environment }: CheckInput,
  env: StringASTNode,
  file: string,
): Promise<Problem[]> {
  const kind = await files.kind(file);
  const example = await files.read(`${file}.example`);
  const at = { file: config.file, range: rangeInString(config, env), code: 'env-file' } as const;
  if (kind !== undefined) {
    const message =
      kind === 'folder'
        ? `${env.value} is a folder, not an env file.`
        : `Env file ${env.value} cannot be read.`;
    return [{ ...at, severity: 'error', message, fixes: [] }];
  }
  const message = missingEnvSentence(env.value, example, environment);
  if (message === undefined) return [];
  const title =
    example === undefined ? `Create ${env.value}` : `Create ${env.value} from ${env.value}.example`;
  const fixes: Fix[] = [{ title, change: { kind: 'create', file, text: example ?? '' } }];
  return [{ ...at, severity: 'warning', message, fixes }];
}

/** Finds variables of `.env.example` that are not set. */
async function checkExample(
  { config, files, environment }: CheckInput,
  env: StringASTNode,
  variables: Readonly<Record<string, string>>,
  envFile: EnvFileText,
): Promise<Problem[]> {
  const example = await files.read(`${envFile.file}.example`);
  if (example === undefined) return [];
  const wanted = readEnvFile(example, environment).variables;
  const missing = unsetVariables(example, { ...environment, ...variables });
  if (missing.length === 0) return [];
  return [
    {
      file: config.file,
      range: rangeInString(config, env),
      severity: 'warning',
      code: 'env-variable',
      message: `${env.value} does not set ${missing.join(', ')}, which ${env.value}.example lists.`,
      fixes: [additionTo(envFile, missing, wanted)],
    },
  ];
}

/** Checks the variables in `webhooks.headers`, such as `${{ env.NAME }}`. If one is missing, webhooks are not sent. */
function checkWebhooks(
  { config, environment }: CheckInput,
  variables: Readonly<Record<string, string>>,
  envFile?: EnvFileText,
): Problem[] {
  const prefixNode = nodeAt(config, 'webhooks', 'env_prefix');
  const prefix = prefixNode?.type === 'string' ? prefixNode.value : DEFAULT_WEBHOOK_PREFIX;
  return [...stringsOf(nodeAt(config, 'webhooks', 'headers')).values()].flatMap((node) =>
    [...node.value.matchAll(WEBHOOK_VARIABLE)].flatMap((match): Problem[] => {
      const name = match[1] ?? '';
      const mayBeUsed = isWebhookVariable(name, prefix);
      if (mayBeUsed && (variables[name] ?? environment[name]) !== undefined) return [];
      return [
        {
          file: config.file,
          range: rangeInString(config, node, match.index, match.index + match[0].length),
          severity: 'error',
          code: 'env-variable',
          message: mayBeUsed
            ? `${name} is not set. Set it in the project's env.`
            : `${name} cannot be used here: variables in webhooks.headers must start with ${prefix}.`,
          fixes: mayBeUsed && envFile !== undefined ? [additionTo(envFile, [name], {})] : [],
        },
      ];
    }),
  );
}

/** The fix that adds variables to the end of an env file. */
function additionTo(
  { file, text }: EnvFileText,
  names: readonly string[],
  values: Readonly<Record<string, string>>,
): Fix {
  const lines = text.split('\n');
  const line = lines.length - 1;
  const column = lines.at(-1)?.length ?? 0;
  const added = names.map((name) => `${name}=${envValue(values[name] ?? '')}\n`).join('');
  return {
    title: `Add ${names.join(', ')} to ${path.basename(file)}`,
    change: {
      kind: 'replace',
      file,
      range: range(line, column, line, column),
      text: column === 0 ? added : `\n${added}`,
    },
  };
}
