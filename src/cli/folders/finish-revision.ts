import { RevisionFailedError } from '../../client/wait-for-revision.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { followRevision } from '../../deploy/follow-revision.ts';
import type { ConnectOptions, ControlPlaneSession } from '../connections/connect.ts';
import { logLine, statusMark } from '../render/deployments.ts';
import { NextCommands } from '../render/next-commands.ts';
import type { Context } from '../terminal/context.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { Failure } from '../terminal/failure.ts';

/** Prints the newest revision. With --wait, waits for it and reports how it ended. */
export async function finishRevision(
  context: Context,
  session: ControlPlaneSession,
  deployment: Deployment,
  options: ConnectOptions & { readonly wait?: true; readonly json?: true },
): Promise<void> {
  const { terminal } = context;
  const { id, name, latest_revision_id: revisionId } = deployment;
  if (revisionId == null) throw new Failure(`'${name}' has no revision yet.`);
  const result = { deployment_id: id, revision_id: revisionId, name };
  if (options.wait) await waitForRevision(context, session, result, options);
  else if (options.json) terminal.json(result);
  else {
    terminal.line(result.revision_id);
    const command = new NextCommands(options).buildLog(name);
    terminal.note(terminal.errorColors.dim(`Follow its build: ${command}`));
  }
}

/** The fields of a revision in the line of JSON that is printed at the end. */
interface RevisionResult {
  readonly deployment_id: string;
  readonly revision_id: string;
  readonly name: string;
}

/** Shows the progress of a revision until it is deployed. @throws Failure when the revision has failed */
async function waitForRevision(
  { terminal, interrupted: signal }: Context,
  { client, staysUp }: ControlPlaneSession,
  result: RevisionResult,
  { json }: { readonly json?: true },
): Promise<void> {
  const { name: _, ...params } = result;
  const colors = terminal.errorColors;
  try {
    const { status } = await followRevision(
      client,
      params,
      {
        status: (revision) => terminal.note(statusMark(revision.status, colors)),
        line: (entry) => terminal.note(logLine(entry, colors)),
      },
      signal,
    );
    const { source_config } = await client.deployments.get({ params }, { signal });
    const url = source_config.custom_url ?? null;
    if (json) terminal.json({ ...result, status, deployment_url: url });
    else terminal.line(url ?? params.revision_id);
    if (!(await staysUp()))
      terminal.note(
        'The deployment is available while Agent Harbor runs. Use agent-harbor serve to keep it running.',
      );
  } catch (error) {
    if (signal.aborted) terminal.note('Stopped waiting. The revision is still being deployed.');
    if (!(error instanceof RevisionFailedError)) throw error;
    const { status, status_message: reason } = error.revision;
    if (json) terminal.json({ ...result, status, reason: reason ?? null });
    // The revision that is still served is mentioned only if the platform answers.
    const earlier = await client.deployments.get({ params }, { signal }).catch(() => undefined);
    if (earlier?.active_revision_id && earlier.source_config.custom_url) {
      terminal.note(`The previous revision is still available at ${earlier.source_config.custom_url}.`);
    }
    // The rest of the message is the end of the log, which was already shown.
    const [sentence = ''] = error.message.split('\n');
    throw new Failure(status === 'BUILD_FAILED' ? sentence : error.message, EXIT.failed);
  }
}
