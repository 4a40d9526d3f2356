import { homedir } from 'node:os';
import path from 'node:path';
import type { Workbench } from '../support/workbench/workbench.ts';
import type { Dialog, Question } from './dialog.ts';

export const project = 'panel-agents';
export const assistant = 'another';
export const thread = 'a thread';
export const dataset = 'examples';
/** The row of the trace in the Traces view, which shows the text of its input. */
export const trace = 'Ada';
/** The folder that every new project may go into. */
export const home = path.basename(homedir());
/** A project that is named, but never created. */
export const unmade = 'never-made';
/** The address of a signed-out connection, in addition to another one. */
export const host = '127.0.0.1:1';

const command = (title: string) => (workbench: Workbench) => workbench.runCommand(`Agent Harbor: ${title}`);
const ofView = (view: string, title: string) => async (workbench: Workbench) =>
  (await workbench.view(view)).titleAction(title);
const ofRow = (view: string, path: readonly string[], title: string) => async (workbench: Workbench) =>
  (await workbench.view(view)).contextMenuItem([...path], title);

const noPair = [['user=', /is not a pair/]] as const;
const noNumber = [
  ['many', /Enter a number/],
  ['0', /Enter a number/],
] as const;

const preview: Question = { at: 'Purge Traces (1/2): Preview', pick: 'Purge 1 trace…' };
const typedName: Question = {
  at: 'Purge Traces (2/2): Confirm 1 trace',
  refuses: [['no', /^The name does not match /]],
};
const filterOf = (kind: string, question: Question): Dialog => ({
  name: `Filter Traces by ${kind}`,
  open: ofView('Traces', 'Filter Traces'),
  questions: [{ at: 'Filter Traces', pick: kind }, question],
});
const purgeOf = (which: string, ...questions: readonly Question[]): Dialog => ({
  name: `Purge Traces: ${which}`,
  open: ofRow('Traces', [project], 'Purge Traces…'),
  questions: [
    { at: `Select the traces of ${project} to purge`, pick: which },
    ...questions,
    preview,
    typedName,
  ],
});
const retentionOf = (kind: string, question: Question): Dialog => ({
  name: `Set Trace Retention: ${kind}`,
  open: ofView('Traces', 'Set Trace Retention…'),
  questions: [{ at: 'Trace Retention for the Workspace', pick: kind }, question],
});
const days: Question = { at: 'Days to keep traces', refuses: noNumber };
const deletionOf = (...questions: readonly Question[]): Dialog => ({
  name: `Delete Examples${questions.length > 1 ? ' permanently' : ''}`,
  open: command('Delete Examples…'),
  questions: [
    { at: 'Select a dataset to delete examples from', pick: dataset },
    { at: `Select the examples of ${dataset} to delete`, ticks: true },
    ...questions,
  ],
});
const projectIn = (language: string): Dialog => ({
  name: `Create Agent Project in ${language}`,
  open: command('Create Agent Project…'),
  questions: [
    { at: 'Create Agent Project (1/4)', pick: language },
    { at: 'Create Agent Project (2/4)', pick: home },
    { at: 'Create Agent Project (3/4)', refuses: [['a b', /Use only letters, digits/]], type: unmade },
    { at: 'Create Agent Project (4/4)' },
  ],
});

/**
 * Every dialog for users of a local server. Dialogs for deploying, or that need a remote platform, are tested
 * elsewhere.
 */
export const dialogs: readonly Dialog[] = [
  { name: 'Run', open: command('Run'), questions: [{ at: 'Select an assistant to run' }] },
  { name: 'Show Actions', open: command('Show Actions'), questions: [{ at: 'Agent Harbor' }] },
  { name: 'Select Deployment', open: command('Select Deployment'), questions: [{ at: 'Select Deployment' }] },
  {
    name: 'New Assistant',
    open: ofView('Assistants', 'New Assistant'),
    questions: [
      { at: 'Select a graph for the new assistant', pick: 'order' },
      { at: 'New Assistant for order', refuses: [[' ', /Enter a name/]] },
    ],
  },
  {
    name: 'Delete Assistant',
    open: ofRow('Assistants', ['order', assistant], 'Delete Assistant…'),
    questions: [{ at: `Delete the assistant “${assistant}”?`, isModal: true }],
  },
  { name: 'New Thread', open: ofView('Threads', 'New Thread'), questions: [{ at: 'New Thread' }] },
  {
    name: 'Rename Thread',
    open: ofRow('Threads', ['Idle', thread], 'Rename Thread…'),
    questions: [{ at: 'Rename Thread' }],
  },
  {
    name: 'Delete Thread',
    open: ofRow('Threads', ['Idle', thread], 'Delete Thread…'),
    questions: [{ at: `Delete the thread “${thread}”?`, isModal: true }],
  },
  { name: 'Sort Threads', open: ofView('Threads', 'Sort Threads…'), questions: [{ at: 'Sort Threads' }] },
  {
    name: 'Filter Threads',
    open: ofView('Threads', 'Filter Threads'),
    questions: [{ at: 'Filter Threads by Metadata', refuses: noPair }],
  },
  { name: 'Search Traces', open: ofView('Traces', 'Search Traces'), questions: [{ at: 'Search Traces' }] },
  filterOf('Text', { at: 'Search Traces' }),
  filterOf('Status', { at: 'Filter Traces by Status' }),
  filterOf('Name', { at: 'Filter Traces by Name' }),
  filterOf('Metadata', { at: 'Filter Traces by Metadata', refuses: noPair }),
  filterOf('Latency', { at: 'Filter Traces by Latency', refuses: noNumber }),
  filterOf('Feedback', { at: 'Filter Traces by Feedback' }),
  purgeOf(`All traces of ${project}`),
  purgeOf('Traces before a date…', {
    at: 'Purge Traces Before a Date',
    refuses: [
      ['soon', /Enter a date/],
      ['2026-13-45', /Enter a date/],
    ],
    type: '0',
  }),
  purgeOf('Traces with metadata…', {
    at: 'Purge Traces with Metadata',
    refuses: [...noPair, ['', /Enter at least one/]],
    type: 'user=ada',
  }),
  {
    name: 'Purge Traces of all projects',
    open: ofView('Traces', 'Purge Traces…'),
    questions: [
      { at: 'Select the project to purge traces from', pick: 'All projects' },
      { at: 'Purge Traces with Metadata', type: 'user=ada' },
      preview,
      typedName,
    ],
  },
  {
    name: 'Retention of a project',
    open: ofRow('Traces', [project], 'Set Trace Retention…'),
    questions: [{ at: `Trace Retention for ${project}` }],
  },
  retentionOf('Default for new traces', { at: 'Default for new traces' }),
  retentionOf('Base retention', days),
  retentionOf('Extended retention', days),
  {
    name: 'Add to Dataset',
    open: ofRow('Traces', [project, trace], 'Add to Dataset…'),
    questions: [
      { at: 'Select a dataset', pick: 'New Dataset…' },
      { at: 'New Dataset', refuses: [[' ', /Enter a name/]] },
    ],
  },
  deletionOf({ at: 'Delete 1 example' }),
  deletionOf(
    { at: 'Delete 1 example', pick: 'Purge from All Versions' },
    { at: 'Permanently Purge 1 example' },
  ),
  projectIn('TypeScript'),
  projectIn('Python'),
  {
    name: 'Add Connection to an installation',
    open: ofView('Deployments', 'Add Connection…'),
    questions: [
      { at: 'Select a connection type', pick: 'Self-Hosted' },
      {
        at: 'https://agents.example.com',
        refuses: [
          ['', /Enter a URL such as/],
          ['ftp://agents.example.com', /Enter a URL such as/],
          ['http://agents.example.com', /unencrypted/],
        ],
      },
    ],
  },
  {
    name: 'Add Connection to an agent server',
    open: command('Add Connection…'),
    questions: [
      { at: 'Select a connection type', pick: 'Agent Server' },
      { at: 'http://127.0.0.1:2024', type: `http://${host}` },
      { at: 'API key', type: '' },
      { at: 'None', refuses: [['X-Team', /is not a valid header/]] },
    ],
  },
  {
    name: 'Sign In',
    open: command('Sign In…'),
    questions: [
      { at: 'Select the connection to sign in to', pick: host },
      { at: `Sign In to ${host}`, refuses: [['', /Enter an API key/]] },
    ],
  },
  {
    name: 'Sign Out',
    open: command('Sign Out'),
    questions: [{ at: 'Select the connection to sign out of' }],
  },
  {
    name: 'Reconnect',
    open: command('Reconnect'),
    questions: [{ at: 'Select a connection to reconnect' }],
  },
  {
    name: 'Remove Connection',
    open: command('Remove Connection…'),
    questions: [
      { at: 'Select the connection to remove', pick: host },
      { at: `Remove the connection to ${host}?`, isModal: true },
    ],
  },
  {
    name: 'Remove Connection of a row',
    open: ofRow('Deployments', [host], 'Remove Connection…'),
    questions: [{ at: `Remove the connection to ${host}?`, isModal: true }],
  },
  {
    name: 'Deploy',
    open: ofView('Deployments', 'Deploy…'),
    questions: [{ at: 'Select the platform to deploy to', pick: 'Local' }, { at: /^Deploy \(2\/\d\)$/ }],
  },
];
