// The HEALTHCHECK of the containers, which needs no shell: whether the process is ready to work.
// CommonJS and node:http, since it runs every few seconds: half the start of a module with fetch.
const { get } = require('node:http');

get('http://127.0.0.1:8081/ready', { timeout: 3_000 }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
