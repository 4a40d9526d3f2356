import './message.css';
import * as l10n from '@vscode/l10n';
import { useMemo } from 'preact/hooks';
import { isDictionary } from '../../../terms/fields.ts';
import type { MessagePart } from '../../../terms/message-parts.ts';
import { type Message, textOf } from '../../../terms/messages.ts';
import { attachmentOf } from '../../shared/attachment.ts';
import { Attachments } from '../../shared/attachments.tsx';
import { useCopyMenu } from '../../shared/copy-menu.ts';
import { Icon } from '../../shared/icon.tsx';
import { JsonTree } from '../../shared/json-tree.tsx';
import { parseStructured } from '../../shared/parse-structured.ts';
import { plainName } from '../../shared/plain-name.ts';
import type { PanelProps } from '../panel-props.ts';
import { DetailProse } from './detail-prose.tsx';

interface MessageViewProps {
  readonly message: Message;
  readonly store: PanelProps['store'];
}

/** A message with its author, its parts in order, and its unknown fields. */
export function MessageView({ message, store }: MessageViewProps) {
  const { role, writtenRole, name, parts, rest } = message;
  const { icon, label } = roleIcon(role);
  const area = useCopyMenu<HTMLElement>('message', () => textOf(message));
  const speaker = role === 'other' && writtenRole !== '' ? writtenRole : label;
  const shown = role === 'tool' && name !== undefined ? l10n.t('Tool {0}', name) : speaker;
  return (
    <article ref={area} class={`message ${role}`} aria-label={shown}>
      <p class="role">
        <Icon name={icon} /> {shown}
      </p>
      {parts.map((part, index) => (
        <PartView key={index} part={part} store={store} />
      ))}
      {rest !== undefined && <JsonTree value={rest} />}
      {parts.length === 0 && rest === undefined && <p class="muted">{l10n.t('No text')}</p>}
    </article>
  );
}

interface PartViewProps {
  readonly part: MessagePart;
  readonly store: PanelProps['store'];
}

function PartView({ part, store }: PartViewProps) {
  switch (part.kind) {
    case 'text':
      return <Text text={part.text} />;
    case 'reasoning':
      return (
        <details class="reasoning">
          <summary>{l10n.t('Reasoning')}</summary>
          <DetailProse text={part.text} />
        </details>
      );
    case 'call':
      return (
        <div class="call">
          <p class="role">
            <Icon name="tools" /> {plainName(part.name)}
          </p>
          <JsonTree value={part.args} />
        </div>
      );
    case 'result':
      return (
        <div class="call">
          <p class="role">
            <Icon name={part.failed ? 'error' : 'output'} /> {resultLabel(part)}
          </p>
          {part.parts.map((inner, index) => (
            <PartView key={index} part={inner} store={store} />
          ))}
        </div>
      );
    case 'file':
      return <File block={part.block} store={store} />;
    case 'json':
      return <JsonTree value={part.value} />;
  }
}

function resultLabel({ name, failed }: Extract<MessagePart, { kind: 'result' }>): string {
  if (name === undefined) return failed ? l10n.t('Failed result') : l10n.t('Result');
  return failed ? l10n.t('Failed result of {0}', plainName(name)) : l10n.t('Result of {0}', plainName(name));
}

/** An attachment. Without data or an address, its block is shown as JSON. */
function File({ block, store }: { readonly block: unknown; readonly store: PanelProps['store'] }) {
  const file = isDictionary(block) ? attachmentOf(block) : undefined;
  if (file === undefined || (file.data === undefined && file.url === undefined))
    return <JsonTree value={block} />;
  return (
    <Attachments
      files={[file]}
      onOpenFile={(opened) => void store.ask('openFile', opened)}
      onOpenJson={(title, value) => void store.ask('openJson', { title, value })}
    />
  );
}

function Text({ text }: { readonly text: string }) {
  const value = useMemo(() => parseStructured(text), [text]);
  return value === undefined ? <DetailProse text={text} /> : <JsonTree value={value} />;
}

function roleIcon(role: Message['role']): { readonly icon: string; readonly label: string } {
  switch (role) {
    case 'human':
      return { icon: 'account', label: l10n.t('Human') };
    case 'ai':
      return { icon: 'sparkle', label: l10n.t('AI') };
    case 'system':
      return { icon: 'gear', label: l10n.t('System') };
    case 'tool':
      return { icon: 'tools', label: l10n.t('Tool') };
    case 'other':
      return { icon: 'note', label: l10n.t('Message') };
  }
}
