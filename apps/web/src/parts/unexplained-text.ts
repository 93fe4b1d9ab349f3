import { isOftenUnexplained } from '@esd/record/catalog/unexplained';
import { countText, numberText } from '../format.ts';

/** Returns a caution if other records contradict at least a third of the experiments; otherwise undefined. */
export function unexplainedText(count: number, total: number): string | undefined {
  if (!isOftenUnexplained(count, total)) return undefined;
  return `${numberText(count)} of ${countText(total, 'experiment')} share all settings with another one of their paper, but their diameters differ by more than a factor of 1.5. Something that is not recorded differed, or the values scatter or contain an error.`;
}
