import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Answer, RequestOptions } from '../client/request.ts';

/** Sends a request of the signed-in user to a path below the root of the service. Throws RequestError. */
export type StaffRequest = (path: string, options?: RequestOptions) => Promise<Answer>;

export interface Staff {
  readonly request: StaffRequest;
  /** The path of the public URL. */
  readonly base: string;
}

export const StaffContext = createContext<Staff | undefined>(undefined);

/** Returns the access to the service. Throws an Error outside of StaffOnly. */
export function useStaff(): Staff {
  const staff = useContext(StaffContext);
  if (!staff) throw new Error('useStaff() requires StaffOnly.');
  return staff;
}
