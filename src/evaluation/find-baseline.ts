import type { Client } from '../client/client.ts';
import { eachPage } from '../client/each-page.ts';
import { findProject } from '../client/find-project.ts';
import { isNotFound } from '../client/request-error.ts';
import type { CallOptions } from '../client/transport.ts';
import type { Session } from '../contract/tracing/sessions.ts';
import { PARTIAL_MARK } from './experiment.ts';
import { fieldsAt } from './fields-at.ts';
import { PROJECT_KEY } from './project-identity.ts';

/** The baseline to search for. */
export interface WantedBaseline {
  /** The name of an experiment, a branch or a commit. */
  readonly name: string;
  /** The commit that the name resolves to, if git knows the name. */
  readonly commit: string | undefined;
  /** See `identifyProject`: other projects may have branches of the same name. */
  readonly project: string;
}

/**
 * Finds the experiment on a dataset that a name refers to: the one with this name or ID, or else the latest
 * that ran on this git branch or commit.
 * @param compared the experiment to compare, if it exists already, because it cannot be its own baseline
 * @returns undefined when there is none
 * @throws RequestError
 */
export async function findBaseline(
  client: Pick<Client, 'tracing'>,
  datasetId: string,
  compared: { readonly id: string } | undefined,
  wanted: WantedBaseline,
  options: CallOptions = {},
): Promise<Session | undefined> {
  const named = await findProject(client, wanted.name, options).catch((error: unknown) => {
    // The name of a branch may look like an ID.
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (named?.reference_dataset_id === datasetId) return named;
  const pages = eachPage({ idOf: ({ id }: Session) => id }, (page) =>
    client.tracing.sessions.list(
      { query: { ...page, reference_dataset: [datasetId], sort_by: 'start_time' } },
      options,
    ),
  );
  for await (const page of pages) {
    const found = page.find((session) => session.id !== compared?.id && isBaseline(session, wanted));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether an experiment ran on all examples, with exactly the code of the wanted branch or commit. */
function isBaseline({ extra, end_time }: Session, { name, commit, project }: WantedBaseline): boolean {
  const metadata = fieldsAt(extra, 'metadata');
  const git = fieldsAt(metadata, 'git');
  // With uncommitted changes, the result is not that of the commit. An experiment that was interrupted, or ran on only
  // some examples, lacks scores.
  if (end_time === null || git.dirty === true || metadata[PARTIAL_MARK] === true) return false;
  if (metadata[PROJECT_KEY] !== project) return false;
  return commit === undefined ? git.branch === name : git.commit === commit;
}
