import { gauge, measureEventLoop, onScrape } from './metrics.ts';
import type { ReadinessState } from './readiness.ts';
import { THIS_PROCESS } from './this-process.ts';

/** Starts the metrics of every process: software, readiness, dependencies, warnings, and event loop. */
export function observeProcess(revision: string, current: () => ReadinessState): void {
  gauge('esd_build_info').set({ version: THIS_PROCESS.version, revision }, 1);
  const ready = gauge('esd_ready');
  const up = gauge('esd_dependency_up');
  const warnings = gauge('esd_warnings');
  onScrape('readiness', () => {
    const state = current();
    ready.set(state.ready ? 1 : 0);
    for (const [dependency, is] of Object.entries(state.dependencies)) up.set({ dependency }, is === 'up' ? 1 : 0);
    warnings.set(state.warnings.length);
  });
  measureEventLoop();
}
