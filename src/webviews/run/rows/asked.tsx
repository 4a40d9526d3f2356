import './asked.css';
import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { isDictionary } from '../../../terms/fields.ts';
import type { ElicitationRequest } from '../../../terms/interrupt-requests.ts';
import { Icon } from '../../shared/icon.tsx';
import { Json, preview } from '../../shared/json.tsx';
import { plainName } from '../../shared/plain-name.ts';
import { Prose } from '../../shared/prose.tsx';
import { type Action, answerKeys } from '../questions.ts';

interface AskedProps {
  readonly isOpen: boolean;
  /** Whether the thread continued without an answer. */
  readonly isPassed: boolean;
  readonly onOpen: () => void;
}

/** The maximum number of characters of a description that are shown at first. */
const MAX_LENGTH = 4_000;

/** The action that an agent wants to take, with its arguments. */
export function ActionAsked({ action, isOpen, isPassed, onOpen }: AskedProps & { readonly action: Action }) {
  const { name, args, description } = action;
  const { facts, rest } = isDictionary(args) ? split(Object.entries(args)) : { facts: [], rest: args };
  return (
    <>
      <Title
        isOpen={isOpen}
        isPassed={isPassed}
        text={name === '' ? waitsText() : l10n.t('The agent wants to use {0}', plainName(name))}
      />
      {description !== undefined && <Prose text={description} maxLength={MAX_LENGTH} headings={4} />}
      <Facts facts={facts} />
      <Rest value={rest} isOpen={isOpen} onOpen={onOpen} />
    </>
  );
}

/** The question of an MCP server, with the tool that asks it, and the host of the page that it wants to open. */
export function ElicitationAsked({
  elicitation,
  isOpen,
  isPassed,
}: Omit<AskedProps, 'onOpen'> & { readonly elicitation: ElicitationRequest }) {
  const { message, toolName } = elicitation;
  const url = elicitation.mode === 'url' ? elicitation.url : undefined;
  const facts: Entries = [
    ...(toolName === undefined ? [] : [[l10n.t('Tool'), plainName(toolName)] as const]),
    ...(url === undefined
      ? []
      : [
          [l10n.t('Host'), hostOf(url) ?? l10n.t('not a web page')] as const,
          [l10n.t('Address'), url] as const,
        ]),
  ];
  return (
    <>
      <Title isOpen={isOpen} isPassed={isPassed} text={message} />
      <Facts facts={facts} />
    </>
  );
}

/** The host of a web address; `undefined` for other addresses and those with credentials, which are not opened. */
export function hostOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  return url.host;
}

/** Any other payload: its sentence as the title, its scalar values as a list, and the rest as JSON. */
export function PayloadAsked({
  payload,
  isOpen,
  isPassed,
  onOpen,
}: AskedProps & { readonly payload: unknown }) {
  if (typeof payload === 'string') return <Title isOpen={isOpen} isPassed={isPassed} text={payload} />;
  const fields = isDictionary(payload) ? payload : {};
  const sentence = ['message', 'reason', 'description', 'prompt', 'question'].find(
    (name) => typeof fields[name] === 'string',
  );
  const hidden = new Set([sentence, 'type', ...answerKeys(fields)]);
  const { facts, rest } = isDictionary(payload)
    ? split(Object.entries(payload).filter(([name]) => !hidden.has(name)))
    : { facts: [], rest: payload };
  return (
    <>
      <Title
        isOpen={isOpen}
        isPassed={isPassed}
        text={sentence === undefined ? waitsText() : String(fields[sentence])}
      />
      <Facts facts={facts} />
      <Rest value={rest} isOpen={isOpen} onOpen={onOpen} />
    </>
  );
}

type Entries = readonly (readonly [name: string, value: unknown])[];

/** Divides entries into scalar values and the rest, an object. */
function split(entries: Entries): { readonly facts: Entries; readonly rest: unknown } {
  const rest = entries.filter(([, value]) => typeof value === 'object' && value !== null);
  return {
    facts: entries.filter(([, value]) => typeof value !== 'object' || value === null),
    rest: rest.length > 0 ? Object.fromEntries(rest) : undefined,
  };
}

function waitsText(): string {
  return l10n.t('The run is waiting for your input');
}

function Title({ text, isOpen, isPassed }: Omit<AskedProps, 'onOpen'> & { readonly text: string }) {
  const isSkipped = !isOpen && isPassed;
  return (
    <p class="title">
      <Icon name={isOpen ? 'debug-pause' : isSkipped ? 'debug-step-over' : 'check'} /> {text}
      {isSkipped && <span class="muted"> · {l10n.t('Not answered')}</span>}
    </p>
  );
}

function Facts({ facts }: { readonly facts: Entries }) {
  if (facts.length === 0) return null;
  return (
    <dl>
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{String(value)}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Rest({ value, isOpen, onOpen }: Omit<AskedProps, 'isPassed'> & { readonly value: unknown }) {
  if (value === undefined) return null;
  // Answered interrupts collapse.
  return (
    <details class="line" open={isOpen}>
      <summary>
        <Icon name="json" />
        <span class="name">{l10n.t('Details')}</span>
        <span class="preview">{preview(value)}</span>
      </summary>
      <Json value={value} onOpen={onOpen} />
    </details>
  );
}
