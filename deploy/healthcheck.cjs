// The HEALTHCHECK of the containers, which needs no shell: whether the process is ready to work.
// CommonJS and node:http, since it runs every few seconds: half the start of a module with fetch.
const hasTls = Boolean(process.env.ESD_TLS_CERT_FILE);
const { get } = hasTls ? require('node:https') : require('node:http');

// The certificate is not checked, as by a kubelet: the container asks itself, at an address that its certificate does not name.
const options = { timeout: 3_000, rejectUnauthorized: false };
get(`${hasTls ? 'https' : 'http'}://127.0.0.1:8081/ready`, options, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
)
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
