/**
 * The LRU cache of all services, as the package has it: `max` entries or `maxSize` bytes, `ttl`, and `fetchMethod` for a single
 * flight of each key.
 */
export { LRUCache } from 'lru-cache';
