import './node-details.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import type { NodeDetails as Details } from '../../../extension/panels/run/messages.ts';
import { Action } from '../../shared/action.tsx';
import { Json } from '../../shared/json.tsx';
import type { PanelProps } from '../panel-props.ts';
import { BreakpointFields } from './breakpoint-fields.tsx';
import type { PlacedNode } from './layout.ts';

interface NodeDetailsProps extends PanelProps {
  readonly node: PlacedNode;
  /** A text that changes when the node has run again. */
  readonly version: string;
  readonly onClose: () => void;
}

/** The last input and output of a node, and its next input if the thread has stopped before the node. */
export function NodeDetails({ store, view, node, version, onClose }: NodeDetailsProps) {
  const { id, name } = node;
  const [details, setDetails] = useState<Details | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    void store.quietly('nodeDetails', { node: id }).then((found) => {
      if (isCurrent) setDetails(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [store, id, version]);
  const isKnown = details && Object.keys(details).length > 0;
  return (
    <section class="node-details" aria-label={l10n.t('Node {0}', name)}>
      <div class="node-head">
        <h3 title={id}>{name}</h3>
        {isKnown && (
          <Action
            icon="play"
            label={l10n.t('Run This Node')}
            onClick={() => store.ask('runNode', { node: id })}
          />
        )}
        {id === name && (
          <Action
            icon="go-to-file"
            label={l10n.t('Go to Source')}
            onClick={() => store.ask('openSource', { node: name })}
          />
        )}
        <Action icon="close" label={l10n.t('Close Node')} onClick={onClose} />
      </div>
      {id === name && <BreakpointFields key={id} store={store} view={view} node={name} />}
      {isKnown === false && <p class="muted">{l10n.t('This node has not run on this thread.')}</p>}
      {details?.error !== undefined && <p class="node-error">{details.error}</p>}
      <Part store={store} title={l10n.t('Next input')} node={name} details={details} of="nextInput" />
      <Part store={store} title={l10n.t('Last input')} node={name} details={details} of="input" />
      <Part store={store} title={l10n.t('Last output')} node={name} details={details} of="output" />
      <Part store={store} title={l10n.t('State afterwards')} node={name} details={details} of="state" />
    </section>
  );
}

interface PartProps extends Pick<PanelProps, 'store'> {
  readonly title: string;
  readonly node: string;
  readonly details: Details | undefined;
  readonly of: 'nextInput' | 'input' | 'output' | 'state';
}

function Part({ store, title, node, details, of }: PartProps) {
  const value = details?.[of];
  if (value === undefined) return null;
  return (
    <>
      <h4>{title}</h4>
      <Json value={value} onOpen={() => void store.ask('openJson', { title: `${node}, ${title}`, value })} />
    </>
  );
}
