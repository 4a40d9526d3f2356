/**
 * Methods whose behavior differs from what their names promise, by SDK version and method; `all` stands for
 * every version.
 */
export const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  all: {
    'assistants.delete':
      'works; the default assistant of a graph is recreated immediately with its original settings, because the graph’s ID refers to it',
    'crons.create': 'works; crons run only while the server is running, and missed times are skipped',
    'crons.createForThread':
      'works; crons run only while the server is running, and missed times are skipped',
    'store.searchItems':
      'works; a query is a semantic search if `store.index.embed` names a function of the project or a model; otherwise it is ignored',
    'threads.joinStream':
      'works; without a last event ID it begins with the next event, with `-` at the start',
  },
  '2.0.0': {
    'crons.create': 'works; this SDK sends neither `timezone` nor `end_time`, so schedules are in UTC',
  },
};
