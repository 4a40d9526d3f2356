import { isProviderAndModel } from '../../../project/reference.ts';
import type { FailedExtra, ProjectExtras } from '../../../runtime/protocol/protocol.ts';
import { placedMessage } from '../output/placed-message.ts';
import { type Language, languageOf } from './language.ts';
import type { ProjectConfig } from './project-config.ts';

/** The names of extras in langgraph.json. */
const EXTRA_KEYS = { auth: 'auth.path', http_app: 'http.app' } as const satisfies Record<
  FailedExtra['name'],
  string
>;

/** The extras of a project: what a runtime loads in addition to the graphs. */
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

/** The extras of a project that are exports of files, each as `file:export`. */
export function filesOfExtras(config: ProjectConfig): string[] {
  return Object.values(extrasOf({ config })).filter((place) => !isProviderAndModel(place));
}

/** The language whose process loads an extra. A model is loaded in Python if the project uses Python. */
export function extraLanguage(
  { languages }: { readonly languages: ReadonlySet<Language> },
  place: string,
): Language {
  if (!isProviderAndModel(place)) return languageOf(place);
  return languages.has('python') ? 'python' : 'node';
}

/** A sentence that says why an extra did not load. */
export function extraSentence({ name, error }: FailedExtra): string {
  return `'${EXTRA_KEYS[name]}' failed to load: ${placedMessage(error)}`;
}
