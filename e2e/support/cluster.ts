/** A running system with several replicas of its services. */
export interface Cluster {
  /** The root URLs of the running gateways. */
  gateways(): Promise<readonly string[]>;
  /** The names of the replicas of a service. */
  replicas(service: string): Promise<readonly string[]>;
  /** Sends SIGKILL; the replica stays down until it is started. */
  kill(replica: string): Promise<void>;
  /** Starts a killed replica and waits until it is ready. */
  start(replica: string): Promise<void>;
  /** Stops a replica gracefully and waits until a new one of the service is ready. */
  replace(service: string, replica: string): Promise<void>;
}

/** A cluster with the demo dataset and two replicas of every service. */
export interface DrilledCluster {
  cluster: Cluster;
  /** The folder with the credentials of the demo. */
  dataDir: string;
  stop(): Promise<void>;
}
