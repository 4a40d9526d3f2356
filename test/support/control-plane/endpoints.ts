import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { controlPlaneTables } from '../../../src/contract/tables.ts';

/** Every endpoint of the control plane. */
export const controlPlaneEndpoints: readonly Endpoint[] = Object.values(controlPlaneTables).flatMap(
  (table): Endpoint[] => Object.values(table),
);
