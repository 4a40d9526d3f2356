import * as l10n from '@vscode/l10n';
import { Icon } from '../shared/icon.tsx';
import { nameOf } from './executed-tasks.ts';
import type { PanelProps } from './panel-props.ts';
import type { Transcript } from './transcript-model.ts';

/** Says that a debugger has paused the process, and where. */
export function Paused({ store, view }: PanelProps) {
  const { paused, nodeProgress } = view.transcript;
  if (paused === undefined) return null;
  const { file, line } = paused;
  const name = runningNode(nodeProgress) ?? paused.name;
  return (
    <div class="banner" role="status">
      <Icon name="debug-pause" />
      <span class="grow">{pausedText(file, line, name)}</span>
      {file !== undefined && line !== undefined && (
        <button type="button" class="link" onClick={() => void store.ask('openFrame', { file, line })}>
          {l10n.t('Show Source')}
        </button>
      )}
    </div>
  );
}

/** The only running node, if there is one; inside a running subgraph, the inner one. */
function runningNode(nodeProgress: Transcript['nodeProgress']): string | undefined {
  const running = Object.keys(nodeProgress).filter((node) => nodeProgress[node]?.state === 'running');
  const inner = running.filter((node) => !running.some((other) => other.startsWith(`${node}:`)));
  const [only, ...others] = inner;
  return only === undefined || others.length > 0 ? undefined : nameOf(only);
}

function pausedText(file: string | undefined, line: number | undefined, name: string | undefined): string {
  const place = file === undefined ? undefined : `${file.split(/[\\/]/).at(-1)}:${line ?? 1}`;
  if (place !== undefined && name !== undefined) return l10n.t('Paused at {0} in {1}', place, name);
  if (place !== undefined) return l10n.t('Paused at {0}', place);
  return name === undefined ? l10n.t('Paused by the debugger') : l10n.t('Paused in {0}', name);
}
