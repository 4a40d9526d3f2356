import type { evaluators as evaluatorEndpoints } from '../../contract/evaluators.ts';
import type { Handlers } from '../http/router.ts';
import type { OpenFolders } from './open-folders.ts';
import { throwNamed } from './throw-named.ts';

/** Lists and runs the evaluators in files of open folders. */
export function evaluatorHandlers(folders: OpenFolders): Handlers<typeof evaluatorEndpoints> {
  return {
    list: ({ caller, params, query }) =>
      folders.askEvaluators(
        caller,
        params.deployment_id,
        { file: query.file, loc: 'query' },
        (connection, file) => connection.request('evaluators.list', { file }),
      ),
    run: ({ caller, params, body: { file, ...asked } }) =>
      folders.askEvaluators(caller, params.deployment_id, { file, loc: 'body' }, (connection, absolute) =>
        connection.request('evaluators.run', { file: absolute, ...asked }).catch(throwNamed),
      ),
  };
}
