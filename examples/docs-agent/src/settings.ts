import { statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** What holds where an assistant's context says nothing. */
const defaults = {
  docs_dir: '../../docs',
  model: 'auto',
  max_passages: 4,
  approval_threshold: 0.7,
  token_delay_ms: 15,
};

/** The graph's context. An assistant stores these values, and a run can override them. */
export const ContextSchema = z.object({
  docs_dir: z.string().min(1).optional().meta({
    description: 'Folder of Markdown to answer from; a relative path starts at the folder of langgraph.json.',
    default: defaults.docs_dir,
  }),
  model: z
    .string()
    .regex(
      /^(auto|extractive|(openai|anthropic):.+)$/,
      'use auto, extractive, openai:<name> or anthropic:<name>',
    )
    .optional()
    .meta({
      description:
        'auto (a provider whose key is set, else extractive), extractive, openai:<name> or anthropic:<name>.',
      default: defaults.model,
    }),
  max_passages: z.int().min(1).max(20).optional().meta({
    description: 'How many passages a search returns at most.',
    default: defaults.max_passages,
  }),
  approval_threshold: z.number().min(0).max(1).optional().meta({
    description:
      'A person is asked when the confidence (0 to 1) is not above this: 0 never asks, 1 always asks.',
    default: defaults.approval_threshold,
  }),
  token_delay_ms: z.int().min(0).max(1000).optional().meta({
    description:
      'Pause between two tokens of the extractive model, in milliseconds, so that its stream can be read.',
    default: defaults.token_delay_ms,
  }),
});

export type Context = z.infer<typeof ContextSchema>;
export type Settings = typeof defaults;

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

/**
 * The context of a run, completed with the defaults; `docs_dir` comes back as an absolute path.
 * @throws Error when `docs_dir` is no folder.
 */
export function settingsOf(context: Context = {}): Settings {
  const settings: Settings = { ...defaults, ...ContextSchema.parse(context) };
  const folder = isAbsolute(settings.docs_dir) ? settings.docs_dir : join(projectFolder, settings.docs_dir);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(
      `docs_dir: there is no folder ${folder}. Set docs_dir in the context to a folder of Markdown files.`,
    );
  }
  return { ...settings, docs_dir: folder };
}
