export interface SectionProps {
  /** Confirms an action to the user. */
  notify: (text: string) => void;
}
