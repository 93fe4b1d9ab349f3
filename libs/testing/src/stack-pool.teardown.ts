export { tearDown as default } from './stack-pool.setup.ts';
