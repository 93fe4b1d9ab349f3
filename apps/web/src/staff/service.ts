import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Send } from '../client/call.ts';

/** Sends a request of the signed-in user. */
export type StaffRequest = Send;

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
