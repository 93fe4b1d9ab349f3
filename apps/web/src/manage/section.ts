/** What a section gets: how to say that something is done. */
export interface SectionProps {
  tell: (text: string) => void;
}
