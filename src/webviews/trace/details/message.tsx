import './message.css';
import * as l10n from '@vscode/l10n';
import { useMemo } from 'preact/hooks';
import type { WireMessage } from '../../run/messages.ts';
import { Attachments } from '../../shared/attachments.tsx';
import { useCopyMenu } from '../../shared/copy-menu.ts';
import { Icon } from '../../shared/icon.tsx';
import { JsonTree } from '../../shared/json-tree.tsx';
import { Prose as LongProse, plainName } from '../../shared/prose.tsx';
import type { PanelProps } from '../panel-props.ts';

/** Longer texts are cut until the user expands them. */
const MAX_LENGTH = 6_000;

interface MessageViewProps {
  readonly message: WireMessage;
  readonly store: PanelProps['store'];
}

/** A message with who wrote it, its text as Markdown, and the tools it calls. */
export function MessageView({ message, store }: MessageViewProps) {
  const { role, text, reasoning, toolCalls, name, files } = message;
  const { icon, label } = roleIcon(role);
  const area = useCopyMenu<HTMLElement>('message', () => text);
  const shown = role === 'tool' && name !== undefined ? l10n.t('Tool {0}', name) : label;
  return (
    <article ref={area} class={`message ${role}`} aria-label={shown}>
      <p class="role">
        <Icon name={icon} /> {shown}
      </p>
      {reasoning !== '' && (
        <details class="reasoning">
          <summary>{l10n.t('Reasoning')}</summary>
          <Prose text={reasoning} />
        </details>
      )}
      {text !== '' && <Text text={text} />}
      <Attachments
        files={files}
        onOpenFile={(file) => void store.ask('openFile', file)}
        onOpenJson={(title, value) => void store.ask('openJson', { title, value })}
      />
      {toolCalls.map((call, index) => (
        <div key={call.id ?? index} class="call">
          <p class="role">
            <Icon name="tools" /> {plainName(call.name)}
          </p>
          <JsonTree value={call.args} />
        </div>
      ))}
      {text === '' && reasoning === '' && toolCalls.length === 0 && files.length === 0 && (
        <p class="muted">{l10n.t('No text')}</p>
      )}
    </article>
  );
}

/** Tools return text, which is often JSON. */
function Text({ text }: { readonly text: string }) {
  const value = useMemo(() => parseJson(text), [text]);
  return value === undefined ? <Prose text={text} /> : <JsonTree value={value} />;
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Text as Markdown, cut when it is very long. */
export function Prose({ text }: { readonly text: string }) {
  return <LongProse text={text} maxLength={MAX_LENGTH} headings={4} />;
}

function roleIcon(role: WireMessage['role']): { readonly icon: string; readonly label: string } {
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
