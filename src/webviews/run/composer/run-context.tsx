import './run-context.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { SchemaForm } from '../../shared/form/form.tsx';
import type { PanelProps } from '../panel-props.ts';
import { contextDraft, contextForm, readContext } from '../read-context.ts';

/** A form for the context of the next runs. It begins with the context of the assistant. */
export function RunContext({ store, view }: PanelProps) {
  const form = useMemo(() => contextForm(view), [view.session]);
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (view.contextRefusals === 0) return;
    const field = element.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.focus();
    field?.scrollIntoView({ block: 'center' });
  }, [view.contextRefusals]);
  if (form === undefined) return null;
  const isFromAssistant = view.saved.context === undefined;
  const read = readContext(view);
  return (
    <>
      <span class="label">{l10n.t('Context')}</span>
      <details class="run-context" open={!isFromAssistant} ref={element}>
        <summary>{isFromAssistant ? l10n.t('From assistant') : l10n.t('Customized')}</summary>
        <SchemaForm
          field={form}
          draft={contextDraft(view, form)}
          problems={'problems' in read ? read.problems : {}}
          onChange={(context) => store.save({ context })}
        />
        {!isFromAssistant && (
          <button type="button" class="link" onClick={() => store.save({ context: undefined })}>
            {l10n.t('Reset to Assistant Defaults')}
          </button>
        )}
      </details>
    </>
  );
}
