/** The disks and stores that every process measures. Folders of ESD_WATCHED_FOLDERS add the last part of their path. */
export const DISKS = ['temporary files', 'nats'] as const;
