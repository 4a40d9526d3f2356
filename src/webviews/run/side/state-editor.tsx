import './state-editor.css';
import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { JsonEditor } from '../../shared/json-editor.tsx';
import type { PanelProps } from '../panel-props.ts';
import { nodesOf } from './layout.ts';
import { useStateEdit } from './use-state-edit.ts';

interface StateEditorProps extends PanelProps {
  /** The checkpoint to edit; by default the newest. */
  readonly checkpointId: string | undefined;
}

/** An editor for the state at a checkpoint as JSON, from which the thread can be continued. */
export function StateEditor({ store, view, checkpointId }: StateEditorProps) {
  const close = () => store.closeEditor();
  const edit = useStateEdit(store, checkpointId);
  if (edit === undefined) return null;
  const { state, text, asNode, problem, isSaving, editor, setText, setAsNode, save, openDocument } = edit;
  return (
    <section
      class="state-editor"
      aria-label={l10n.t('Edit State')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <h2>
        <Icon name="edit" /> {l10n.t('Edit State')}
      </h2>
      <JsonEditor
        label={l10n.t('State as JSON')}
        value={text}
        problem={problem}
        rows={6}
        editor={editor}
        onInput={setText}
        onSubmit={() => void save('continue')}
      />
      <p class="hint muted">{l10n.t("Only changed values are written, through the graph's reducers.")}</p>
      <AsNodeField
        value={asNode}
        lastNodes={state.nodes}
        nodes={nodesOf(view.session?.diagram)}
        onChange={setAsNode}
      />
      <div class="buttons">
        <vscode-button type="button" disabled={isSaving} onClick={() => void save('continue')}>
          {l10n.t('Save and Continue')}
        </vscode-button>
        <vscode-button type="button" secondary disabled={isSaving} onClick={() => void save('stop')}>
          {l10n.t('Save')}
        </vscode-button>
        <vscode-button type="button" secondary onClick={close}>
          {l10n.t('Cancel')}
        </vscode-button>
        <button type="button" class="link" onClick={() => void openDocument()}>
          {l10n.t('Open in Editor')}
        </button>
      </div>
    </section>
  );
}

interface AsNodeFieldProps {
  readonly value: string;
  /** The nodes that ran last; an empty `value` stands for them. */
  readonly lastNodes: readonly string[];
  readonly nodes: readonly string[];
  readonly onChange: (node: string) => void;
}

function AsNodeField({ value, lastNodes, nodes, onChange }: AsNodeFieldProps) {
  const id = useId();
  return (
    <div class="as-node">
      <label for={id}>{l10n.t('Update as node')}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">
          {lastNodes.length === 1 ? l10n.t('last node ({0})', lastNodes[0] ?? '') : l10n.t('last node')}
        </option>
        {nodes.map((node) => (
          <option key={node} value={node}>
            {node}
          </option>
        ))}
      </select>
    </div>
  );
}
