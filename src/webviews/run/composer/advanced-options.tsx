import './advanced-options.css';
import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';
import type { RunOptions } from '../../../extension/panels/run/messages.ts';
import { readCount, readList, readMetadata } from '../read-settings.ts';
import { SettingField } from '../setting-field.tsx';
import { STRATEGIES } from './strategy-menu.tsx';

interface AdvancedOptionsProps {
  readonly options: RunOptions;
  readonly onChange: (options: RunOptions) => void;
}

const DURABILITIES = ['sync', 'async', 'exit'] as const;

/** Options of runs under their names in LangGraph, collapsed. An empty option has the default of the assistant or server. */
export function AdvancedOptions({ options, onChange }: AdvancedOptionsProps) {
  const id = useId();
  const { recursion_limit, tags, metadata, durability, multitask_strategy, ...rest } = options;
  const advanced = { recursion_limit, tags, metadata, durability, multitask_strategy };
  const change = (part: Partial<typeof advanced>) => {
    const given = Object.entries({ ...advanced, ...part }).filter(([, value]) => value !== undefined);
    onChange({ ...rest, ...Object.fromEntries(given) });
  };
  return (
    <details class="advanced-options">
      <summary>{l10n.t('Advanced')}</summary>
      <div>
        <SettingField
          label="recursion_limit"
          value={recursion_limit?.toString()}
          isNumber
          save={(text) => {
            const { count, problem } = readCount(text);
            change({ recursion_limit: count });
            return problem;
          }}
        />
        <SettingField
          label="tags"
          value={tags?.join(', ')}
          save={(text) => {
            const read = readList(text);
            change({ tags: read.length > 0 ? read : undefined });
          }}
        />
        <SettingField
          label="metadata"
          value={metadata && JSON.stringify(metadata)}
          placeholder={'{"user": "ada"}'}
          save={(text) => {
            const read = readMetadata(text);
            change({ metadata: read && Object.keys(read).length > 0 ? read : undefined });
            return read === undefined ? l10n.t('Enter a JSON object.') : undefined;
          }}
        />
        <label for={`${id}-durability`}>durability</label>
        <select
          id={`${id}-durability`}
          value={durability ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ durability: DURABILITIES.find((known) => known === value) })
          }
        >
          <option value="">{l10n.t('default')}</option>
          {DURABILITIES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <label for={`${id}-multitask`}>multitask_strategy</label>
        <select
          id={`${id}-multitask`}
          value={multitask_strategy ?? 'enqueue'}
          onChange={({ currentTarget: { value } }) =>
            change({ multitask_strategy: STRATEGIES.find((known) => known === value) })
          }
        >
          {STRATEGIES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
    </details>
  );
}
