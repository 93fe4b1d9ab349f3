// Whether the process in this container is ready to work: the HEALTHCHECK of containers, for which no shell is needed.
const response = await fetch('http://127.0.0.1:8081/ready', { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
process.exit(response?.ok ? 0 : 1);
