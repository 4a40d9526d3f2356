import './state-editor.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { EditableState } from '../../../extension/panels/run/messages.ts';
import { Icon } from '../../shared/icon.tsx';
import { JsonEditor } from '../../shared/json-editor.tsx';
import type { PanelProps } from '../panel-props.ts';
import { nodesOf } from './layout.ts';
import { readEditedState } from './read-edited-state.ts';

interface StateEditorProps extends PanelProps {
  /** The newest without. */
  readonly checkpointId: string | undefined;
}

/** The state at a checkpoint as JSON, to be changed and gone on from. */
export function StateEditor({ store, view, checkpointId }: StateEditorProps) {
  const [state, setState] = useState<EditableState | undefined>(undefined);
  const [text, setText] = useState('');
  const [asNode, setAsNode] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isSaving, setSaving] = useState(false);
  const editor = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const at = checkpointId === undefined ? {} : { checkpoint_id: checkpointId };
  useEffect(() => {
    void store.ask('stateToEdit', at).then((read) => {
      if (read === undefined) return store.closeEditor();
      setState(read);
      setText(JSON.stringify(read.values, undefined, 2) ?? '{}');
      editor.current?.focus();
      return undefined;
    });
  }, [store, checkpointId]);
  if (state === undefined) return null;

  const save = async (goesOn: boolean): Promise<void> => {
    if (isSaving) return;
    const edited = readEditedState(state.values, text);
    if ('problem' in edited) return setProblem(edited.problem);
    setSaving(true);
    const params = {
      ...at,
      values: edited.values,
      ...(state.checkpoint_id !== undefined && { read: state.checkpoint_id }),
      ...(asNode !== '' && { as_node: asNode }),
    };
    const saved = await store.did('updateState', params);
    const done = saved && (!goesOn || (await store.run('proceed')));
    setSaving(false);
    if (done) store.closeEditor();
    return undefined;
  };
  const openDocument = async (): Promise<void> => {
    if (await store.did('editStateDocument', at)) store.closeEditor();
  };
  const others = nodesOf(view.session?.drawing);
  return (
    <section
      class="state-editor"
      aria-label={l10n.t('Edit state')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') store.closeEditor();
      }}
    >
      <h2>
        <Icon name="edit" /> {l10n.t('Edit state')}
      </h2>
      <JsonEditor
        label={l10n.t('State as JSON')}
        value={text}
        problem={problem}
        rows={6}
        editor={editor}
        onInput={(changed) => {
          setText(changed);
          setProblem(undefined);
        }}
        onSubmit={() => void save(true)}
      />
      <p class="hint muted">{l10n.t("Only changed values are written, through the graph's reducers.")}</p>
      <div class="as-node">
        <label for={id}>{l10n.t('Update as node')}</label>
        <select id={id} value={asNode} onChange={(event) => setAsNode(event.currentTarget.value)}>
          <option value="">
            {state.nodes.length === 1 ? l10n.t('last node ({0})', state.nodes[0] ?? '') : l10n.t('last node')}
          </option>
          {others.map((node) => (
            <option key={node} value={node}>
              {node}
            </option>
          ))}
        </select>
      </div>
      <div class="buttons">
        <vscode-button type="button" disabled={isSaving} onClick={() => void save(true)}>
          {l10n.t('Save and Continue')}
        </vscode-button>
        <vscode-button type="button" secondary disabled={isSaving} onClick={() => void save(false)}>
          {l10n.t('Save')}
        </vscode-button>
        <vscode-button type="button" secondary onClick={() => store.closeEditor()}>
          {l10n.t('Cancel')}
        </vscode-button>
        <button type="button" class="link" onClick={() => void openDocument()}>
          {l10n.t('Open in Editor')}
        </button>
      </div>
    </section>
  );
}
