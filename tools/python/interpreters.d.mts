export interface Interpreter {
  path: string;
  version: string;
  minor: number;
  ensurepip: boolean;
  pip: string | null;
}
export function findInterpreters(env?: NodeJS.ProcessEnv): Promise<Interpreter[]>;
export function completeInterpreter(interpreters: readonly Interpreter[]): Interpreter | undefined;
export function withoutComplete(what: string, interpreters: readonly Interpreter[]): string;
