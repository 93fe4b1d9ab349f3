export { tearDown as default } from './shared-stack.setup.ts';
