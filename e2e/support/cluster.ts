/** A running system with replicas of its services, as a drill sees it. */
export interface Cluster {
  /** Root URLs of the gateways that run. */
  gateways(): Promise<readonly string[]>;
  /** The replicas of a service by name. */
  replicas(service: string): Promise<readonly string[]>;
  /** SIGKILL; the copy stays down until it is started. */
  kill(copy: string): Promise<void>;
  /** Starts a copy that was killed and waits until it is ready. */
  start(copy: string): Promise<void>;
  /** Ends a copy in order and waits until a new one of the service is ready in its place. */
  replace(service: string, copy: string): Promise<void>;
}
