import type { ExperimentData } from '@esd/record/catalog/catalog';
import { recordGroups, rowsOf } from '../record-rows.ts';

/** The same field of two records; undefined where it is not reported. */
export interface DiffRow {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isChanged: boolean;
}

/** Compares the fields of two records, in the order of the record page with changed fields first. */
export function diffRows(before: ExperimentData | undefined, after: ExperimentData): DiffRow[] {
  const [old, now] = [before ? fieldTexts(before) : [], fieldTexts(after)];
  const rows = now.flatMap(({ name, text: to }, at) => {
    const from = old[at]?.text;
    return from === undefined && to === undefined ? [] : [{ name, before: from, after: to, isChanged: from !== to }];
  });
  return [...rows.filter(({ isChanged }) => isChanged), ...rows.filter(({ isChanged }) => !isChanged)];
}

function fieldTexts(record: ExperimentData): { name: string; text: string | undefined }[] {
  const rows = [...rowsOf('researchMetadata', record, {}), ...recordGroups(record, {}).flatMap((group) => group.rows)];
  const fields = rows.map(({ name, value }) => {
    const { text, note } = value?.published ?? {};
    return { name, text: note === undefined ? text : `${text}, ${note}` };
  });
  const images = (record.fiberImages ?? []).map(({ imageId = '', imageType = 'image' }) => `${imageType} ${imageId}`);
  return [...fields, { name: 'Images', text: images.length === 0 ? undefined : images.join(', ') }];
}
