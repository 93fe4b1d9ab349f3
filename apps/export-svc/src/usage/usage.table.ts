export interface UsageCounterTable {
  name: 'views' | 'downloads';
  value: number;
}
