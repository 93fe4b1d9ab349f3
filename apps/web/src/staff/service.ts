import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Answer, RequestOptions } from '../client/request.ts';

/** Asks the service as who is signed in, at an address below its root. Throws RequestError. */
export type StaffRequest = (path: string, options?: RequestOptions) => Promise<Answer>;

/** Who is signed in. */
export interface Staff {
  readonly request: StaffRequest;
  /** The path of the public URL, before every address. */
  readonly base: string;
}

export const StaffContext = createContext<Staff | undefined>(undefined);

/** Who is signed in, inside of StaffOnly. */
export function useStaff(): Staff {
  const staff = useContext(StaffContext);
  if (!staff) throw new Error('Nobody is signed in.');
  return staff;
}
