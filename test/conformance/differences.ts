/** Where a method does something else than its name promises, by SDK version and method; `all` is every version. */
export const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  all: {
    'assistants.delete':
      'works; the default assistant of a graph is recreated immediately, as it was made, because the graph’s ID refers to it',
    'crons.create': 'works; crons fire while the server is up, and what was missed is not made up for',
    'crons.createForThread':
      'works; crons fire while the server is up, and what was missed is not made up for',
    'store.searchItems':
      'works; a query searches by meaning when `store.index.embed` names a function of the project or a model, otherwise it is passed over',
    'threads.joinStream':
      'works; without a last event id it begins with what comes next, with `-` at the start',
  },
  '2.0.0': {
    'crons.create': 'works; this SDK sends neither `timezone` nor `end_time`, so schedules are in UTC',
  },
};
