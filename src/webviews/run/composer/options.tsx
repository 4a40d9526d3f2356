import './options.css';
import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';
import type { RunOptions, Session, StreamModeName } from '../../../extension/panels/run/messages.ts';
import { cut } from '../../shared/cut.ts';
import { MAX_KEY_LENGTH } from '../../shared/feedback/feedback-input.ts';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../panel-props.ts';
import { readList } from '../read-settings.ts';
import { SettingField } from '../setting-field.tsx';
import { nodesOf } from '../side/layout.ts';
import { toggle } from '../toggle.ts';
import { AdvancedOptions } from './advanced-options.tsx';
import { Breakpoints } from './breakpoints.tsx';
import { RunContext } from './run-context.tsx';

interface OptionsPanelProps extends PanelProps {
  readonly session: Session;
}

/** The maximum length of the title of a thread, which is its first message. */
const MAX_TITLE = 60;

/** The options of the next runs: assistant, thread, context, breakpoints, stream modes, feedback keys and recording. */
export function OptionsPanel({ store, view, session }: OptionsPanelProps) {
  const { options } = view.saved;
  const { threadId, rows } = view.transcript;
  const thread = threadId && (firstLine(rows.find((row) => row.kind === 'human')?.text) || threadId);
  const change = (part: Partial<RunOptions>) => store.save({ options: { ...options, ...part } });
  const id = useId();
  return (
    <section class="run-options" aria-label={l10n.t('Run options')}>
      <span class="label">{l10n.t('Assistant')}</span>
      <button
        type="button"
        class="picker"
        onClick={() => void store.chooseAssistant()}
        aria-label={l10n.t('Assistant: {0}', session.assistant)}
      >
        <span class="chosen">{session.assistant}</span> <Icon name="chevron-down" />
      </button>
      <span class="label">{l10n.t('Thread')}</span>
      <button
        type="button"
        class="picker"
        title={threadId}
        onClick={() => void store.ask('chooseThread', {})}
        aria-label={l10n.t('Thread: {0}', thread ?? l10n.t('new thread'))}
      >
        <span class="chosen">{thread ?? l10n.t('New Thread')}</span> <Icon name="chevron-down" />
      </button>
      <RunContext store={store} view={view} />
      <Breakpoints nodes={nodesOf(session.diagram)} options={options} onChange={change} />
      <span class="label" id={`${id}-modes`}>
        {l10n.t('Stream')}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in the grid */}
      <div class="checks" role="group" aria-labelledby={`${id}-modes`}>
        {session.stream_modes.map((mode) => (
          <label key={mode} title={mode}>
            <input
              type="checkbox"
              checked={options.stream_modes.includes(mode)}
              onChange={(event) => {
                const modes = toggle(options.stream_modes, mode);
                // One mode stays checked, because a run that streams nothing shows nothing.
                if (modes.length > 0) change({ stream_modes: modes });
                else event.currentTarget.checked = true;
              }}
            />
            {modeName(mode)}
          </label>
        ))}
      </div>
      <SettingField
        label={l10n.t('Feedback keys')}
        value={(options.feedback_keys ?? session.feedback_keys).join(', ')}
        placeholder={l10n.t('helpful, correct')}
        save={(text) => {
          const { feedback_keys: _, ...rest } = options;
          const keys = readList(text);
          const isLong = keys.some(({ length }) => length > MAX_KEY_LENGTH);
          const usesDefault = isLong || keys.join() === session.feedback_keys.join();
          store.save({ options: usesDefault ? rest : { ...rest, feedback_keys: keys } });
          return isLong ? l10n.t('A key must have at most {0} characters.', MAX_KEY_LENGTH) : undefined;
        }}
      />
      <span class="label">{l10n.t('Recording')}</span>
      <label class="record" title={l10n.t('The run can be saved as a file and replayed without a network')}>
        <input
          type="checkbox"
          checked={options.record === true}
          onChange={({ currentTarget: { checked } }) => {
            const { record: _, ...rest } = options;
            store.save({ options: checked ? { ...rest, record: true } : rest });
          }}
        />
        {l10n.t('Record what models and tools answer')}
      </label>
      <AdvancedOptions options={options} onChange={(changed) => store.save({ options: changed })} />
    </section>
  );
}

function modeName(mode: StreamModeName): string {
  return {
    values: l10n.t('state'),
    'messages-tuple': l10n.t('tokens'),
    updates: l10n.t('steps'),
    custom: l10n.t('custom events'),
    tasks: l10n.t('tasks'),
    checkpoints: l10n.t('checkpoints'),
    events: l10n.t('all events'),
    debug: l10n.t('debug'),
  }[mode];
}

function firstLine(text = ''): string {
  const [line = ''] = text.trim().split('\n', 1);
  return cut(line, MAX_TITLE);
}
