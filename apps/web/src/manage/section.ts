export interface SectionProps {
  /** Confirms an action to the user. */
  tell: (text: string) => void;
}
