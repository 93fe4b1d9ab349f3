/** `npm run deploy:nats`: writes deploy/k8s/servers/nats.conf. */
import { writeFileSync } from 'node:fs';
import { natsConfiguration, natsFile } from './nats-configuration.ts';

writeFileSync(natsFile, natsConfiguration());
