import { readFileSync } from 'node:fs';
import { kindOfRun, STACK_KINDS, type StackKind } from './stack-kinds.ts';

export function kindsOfFile(path: string): StackKind[] {
  const source = readFileSync(path, 'utf8');
  const kinds = Object.keys(STACK_KINDS).filter((kind): kind is StackKind =>
    source.includes(kind === 'demo' ? 'sharedStack()' : `leaseStack('${kind}')`),
  );
  return [...new Set(kinds.map(kindOfRun))];
}

/**
 * Returns the position of a test file in a run. Files with the same kinds of stacks are adjacent, so that a stack stops early: first the
 * demo, then the order of STACK_KINDS. Files without a stack come last.
 */
export function positionOf(kinds: readonly StackKind[]): number {
  const order = Object.keys(STACK_KINDS);
  if (kinds.length === 0) return 2 * order.length;
  return Math.max(...kinds.map((kind) => order.indexOf(kind))) + (kinds.includes('demo') ? 0 : order.length);
}

/** The test files of this run that still need each kind of stack. Undefined outside the main process of jest. */
let remaining: Map<StackKind, Set<string>> | undefined;

const listeners = new Set<() => void>();

export function planRun(files: readonly { path: string; kinds: readonly StackKind[] }[]): void {
  remaining = new Map();
  for (const { path, kinds } of files) {
    for (const kind of kinds) remaining.set(kind, (remaining.get(kind) ?? new Set()).add(path));
  }
}

export function fileEnded(path: string): void {
  for (const files of remaining?.values() ?? []) files.delete(path);
  for (const listener of listeners) listener();
}

/** Returns the number of files that still need a kind; Infinity without a plan. */
export function filesLeft(kind: StackKind): number {
  return remaining === undefined ? Infinity : (remaining.get(kind)?.size ?? 0);
}

export function onFileEnded(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
