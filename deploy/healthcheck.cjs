// The health check of the containers with TLS. It exits with 0 if the process is ready.
// CommonJS with node:https starts in half the time of an ES module with fetch; it runs every few seconds.
const { get } = require('node:https');

// The certificate is not verified, because it does not name the loopback address. A kubelet does not verify it either.
const options = { timeout: 3_000, rejectUnauthorized: false };
get('https://127.0.0.1:8081/ready', options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
