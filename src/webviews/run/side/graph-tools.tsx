import * as l10n from '@vscode/l10n';
import type { RunPanelState } from '../../../extension/panels/run/messages.ts';
import { Action } from '../../shared/action.tsx';
import type { PanelProps } from '../panel-props.ts';

export const ZOOM_STEP = 1.2;

interface GraphToolsProps extends PanelProps {
  readonly zoom: number;
  readonly onZoom: (zoom: number) => void;
}

/** How the graph is drawn: what it is colored by, whether subgraphs are in it, and how large. */
export function GraphTools({ store, view, zoom, onZoom }: GraphToolsProps) {
  const { heat, unfolded, wide } = view.saved;
  return (
    <div class="graph-tools" role="toolbar" aria-label={l10n.t('Drawing')}>
      <Action
        icon={unfolded ? 'fold' : 'unfold'}
        label={unfolded ? l10n.t('Fold subgraphs') : l10n.t('Unfold subgraphs')}
        onClick={() => store.save({ unfolded: !unfolded })}
      />
      <Action icon="zoom-in" label={l10n.t('Zoom in')} onClick={() => onZoom(zoom * ZOOM_STEP)} />
      <Action icon="zoom-out" label={l10n.t('Zoom out')} onClick={() => onZoom(zoom / ZOOM_STEP)} />
      <Action icon="target" label={l10n.t('Fit')} onClick={() => store.save({ zoom: undefined })} />
      <Action
        icon={wide ? 'screen-normal' : 'screen-full'}
        label={wide ? l10n.t('Show the output beside the graph') : l10n.t('Show only the graph')}
        onClick={() => store.save({ wide: !wide })}
      />
      <select
        aria-label={l10n.t('Color nodes by')}
        title={l10n.t('Color nodes by')}
        value={heat}
        onChange={(event) => store.save({ heat: heatFrom(event.currentTarget.value) })}
      >
        <option value="none">{l10n.t('None')}</option>
        <option value="time">{l10n.t('Time')}</option>
        <option value="tokens">{l10n.t('Tokens')}</option>
        <option value="errors">{l10n.t('Errors')}</option>
      </select>
    </div>
  );
}

function heatFrom(value: string): RunPanelState['heat'] {
  return value === 'time' || value === 'tokens' || value === 'errors' ? value : 'none';
}
