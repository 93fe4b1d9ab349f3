import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** The metrics of this process, served at /metrics of its internal HTTP port. */
export const metrics = new Registry();

// It wakes the process that often; the default of 10 ms was two fifths of the processor time of an idle service.
const EVENT_LOOP_SAMPLE_MS = 50;

collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });

/** Seconds that a gRPC call took on the server, by method and outcome (OK or an error code). */
export const rpcSeconds = new Histogram({
  name: 'esd_rpc_server_seconds',
  help: 'Duration of gRPC calls in seconds.',
  labelNames: ['method', 'outcome'],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [metrics],
});
