import type { FailedExtra, ProjectExtras } from '../../../runtime/protocol/protocol.ts';
import { placedMessage } from '../output/placed-message.ts';
import { type Language, languageOf } from './language.ts';
import type { ProjectConfig } from './project-config.ts';

/** A provider and a model, such as `openai:text-embedding-3-small`; a file's name would have a dot before the colon. */
const PROVIDER_AND_MODEL = /^[a-z][a-z0-9_]+:./;

/** The extras of a project beside its graphs, loaded on first use. */
export function extrasOf({ config }: { readonly config: ProjectConfig }): ProjectExtras {
  const embed = config.store?.index?.embed;
  const app = config.http?.app;
  const auth = config.auth?.path;
  return {
    ...(embed === undefined ? {} : { embed }),
    ...(app == null ? {} : { http_app: app }),
    ...(auth === undefined ? {} : { auth }),
  };
}

/** The files and exports of a project's extras. */
export function filesOfExtras(config: ProjectConfig): string[] {
  return Object.values(extrasOf({ config })).filter((place) => !PROVIDER_AND_MODEL.test(place));
}

/** The language whose process loads an extra: a model is created in Python if the project uses Python. */
export function extraLanguage(
  { languages }: { readonly languages: ReadonlySet<Language> },
  place: string,
): Language {
  if (!PROVIDER_AND_MODEL.test(place)) return languageOf(place);
  return languages.has('python') ? 'python' : 'node';
}

/** The name of an extra in langgraph.json, and why it did not load. */
export function extraSentence({ name, error }: FailedExtra): string {
  return `'${EXTRA_KEYS[name]}' failed to load: ${placedMessage(error)}`;
}

const EXTRA_KEYS = { auth: 'auth.path', http_app: 'http.app' } as const satisfies Record<
  FailedExtra['name'],
  string
>;
